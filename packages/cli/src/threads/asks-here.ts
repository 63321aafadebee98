/*
 * What agents of this machine ask, for commands about approvals that name no gateway: a person here means all that waits here. A gateway
 * that runs here is asked, with the sign-in that this user has there; without a sign-in nothing of it is shown. If none is alive, the
 * control database and the agents themselves are.
 */
import { CodedError, hasCode, orAborted, startTimeLimit } from '@clawdfather/kit';
import type { Gatekeeper } from '@clawdfather/tools';
import { makeVisible } from '@clawdfather/tools/text';
import { findApproval } from '../approvals/find-approval.ts';
import { withApprovals } from '../approvals/with-approvals.ts';
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { findGateway } from '../gateway/gateway-file.ts';
import { localTarget } from '../sign-in/find-gateway.ts';
import { readGateways } from '../sign-in/gateways-file.ts';
import { openClient } from '../sign-in/open-client.ts';
import { type AskDesk, createDeskAtGateway } from './ask-desk.ts';
import type { MachineAsks } from './desk-of-machine.ts';
import type { Ask } from './thread-types.ts';

export interface DeskHere extends AskDesk {
  readonly place: 'gateway' | 'machine';
}

export interface AsksHere extends AsyncDisposable {
  /* Undefined: nothing can be asked here now, or it is not for us to see. */
  open(): Promise<DeskHere | undefined>;
}

export function createAsksHere(context: CommandContext): AsksHere {
  let machine: MachineAsks | undefined;
  const closeMachine = async (): Promise<void> => {
    await machine?.close();
    machine = undefined;
  };
  return {
    open: async () => {
      const { kind } = findGateway(context.config.stateDir);
      if (kind === 'running') {
        await closeMachine();
        return openGatewayHere(context);
      }
      // It may run where we cannot look: it alone answers then.
      if (kind === 'elsewhere') return undefined;
      const { createMachineAsks } = await import('./desk-of-machine.ts');
      machine ??= createMachineAsks(context);
      const desk = await machine.open();
      return desk && { ...desk, place: 'machine' };
    },
    [Symbol.asyncDispose]: closeMachine,
  };
}

/* Undefined: there is none, or none that knows us. What waits in the state directory is shown without it. */
async function openGatewayHere(context: CommandContext): Promise<DeskHere | undefined> {
  const { config } = context;
  try {
    const target = localTarget(config.stateDir, readGateways(config));
    if (target?.stored === undefined) return undefined;
    const desk = createDeskAtGateway((await openClient(target)).client);
    return {
      ...desk,
      list: () => readInTime(context, (signal) => desk.list(signal)),
      listAll: () => readInTime(context, (signal) => desk.listAll(signal)),
      get: (id) => readInTime(context, (signal) => desk.get(id, signal)),
      place: 'gateway',
    };
  } catch (error) {
    if (hasCode(error, 'gateways-unreadable')) return undefined;
    throw error;
  }
}

/* What waits in the state directory is there without any gateway, so one that does not answer holds nobody up for longer. */
const limitMs = 2_000;

/* Throws `gateway-unreachable` when it takes too long. */
async function readInTime<Answer>(
  { clock }: Pick<CommandContext, 'clock'>,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  using limit = startTimeLimit(clock, limitMs, []);
  const { signal } = limit;
  try {
    return await orAborted(ask(signal), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CodedError('gateway-unreachable', 'the gateway does not answer');
  }
}

/* None when they cannot be read; that is said. */
export async function readAsksHere(
  context: CommandContext,
  here: AsksHere,
  isAll = false,
): Promise<readonly Ask[]> {
  try {
    const desk = await here.open();
    return (await (isAll ? desk?.listAll() : desk?.list())) ?? [];
  } catch (error) {
    await tellUnknown(context, error);
    return [];
  }
}

async function tellUnknown({ io }: CommandContext, error: unknown): Promise<void> {
  const why = error instanceof Error ? error.message : String(error);
  const hint = error instanceof CliError && error.hint !== undefined ? `  ${error.hint}\n` : '';
  await io.stderr.write(`clf: what agents ask is not known: ${makeVisible(why)}\n${hint}`);
}

/* Where they are answered, when the words name what agents ask and nothing else that waits here. */
export async function findAsked(
  context: CommandContext,
  here: AsksHere,
  typed: readonly string[],
): Promise<DeskHere | undefined> {
  try {
    const desk = await here.open();
    const asks = (await desk?.list()) ?? [];
    const isIn =
      (list: readonly Ask[]) =>
      (one: string): boolean =>
        one !== '' && list.some(({ id }) => id.startsWith(one));
    if (!typed.every(isIn(asks))) {
      // Whoever names one that is over is told so, by the place that knows it; unless it is the id of a command.
      if (await areCommands(context, typed)) return undefined;
      const all = (await desk?.listAll()) ?? [];
      return typed.every(isIn(all)) ? desk : undefined;
    }
    await withApprovals(context, async ({ gatekeeper }) => {
      for (const one of typed) refuseIfBoth(gatekeeper, one, context.config.stateDir);
    });
    return desk;
  } catch (error) {
    if (hasCode(error, 'approval-ambiguous') || !(await areCommands(context, typed))) throw error;
    await tellUnknown(context, error);
    return undefined;
  }
}

/* Commands are decided without a gateway and without its database. */
function areCommands(context: CommandContext, typed: readonly string[]): Promise<boolean> {
  return withApprovals(context, async ({ gatekeeper }) =>
    typed.every((one) => isCommand(gatekeeper, one, context.config.stateDir)),
  );
}

function isCommand(gatekeeper: Gatekeeper, typed: string, stateDir: string): boolean {
  try {
    findApproval(gatekeeper, typed, stateDir);
    return true;
  } catch (error) {
    if (hasCode(error, 'approval-not-found')) return false;
    throw error;
  }
}

function refuseIfBoth(gatekeeper: Gatekeeper, typed: string, stateDir: string): void {
  if (!isCommand(gatekeeper, typed, stateDir)) return;
  throw new CliError(
    'approval-ambiguous',
    `a command and a question of an agent begin with "${typed}"`,
    {
      hint: 'Type more of the id: clf approvals',
      detail: { typed },
    },
  );
}
