/*
 * What agents ask at the gateway of this machine, for commands about approvals that name no gateway: a person here means all that waits
 * here. Without a gateway, or a sign-in to it, there is nothing to ask.
 */
import { CodedError, hasCode, orAborted, startTimeLimit } from '@clawdfather/kit';
import type { Client } from '@clawdfather/sdk';
import type { Gatekeeper } from '@clawdfather/tools';
import { makeVisible } from '@clawdfather/tools/text';
import { findApproval } from '../approvals/find-approval.ts';
import { withApprovals } from '../approvals/with-approvals.ts';
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { localTarget } from '../sign-in/find-gateway.ts';
import { readGateways } from '../sign-in/gateways-file.ts';
import { openClient } from '../sign-in/open-client.ts';
import { readAsks } from './asks-at-gateway.ts';
import type { Ask } from './thread-types.ts';

/* Undefined: there is none, or none that knows us. What waits in the state directory is shown without it. */
export async function openClientHere({
  config,
}: Pick<CommandContext, 'config'>): Promise<Client | undefined> {
  try {
    const target = localTarget(config.stateDir, readGateways(config));
    return target?.stored === undefined ? undefined : (await openClient(target)).client;
  } catch (error) {
    if (hasCode(error, 'gateways-unreadable')) return undefined;
    throw error;
  }
}

/* What waits in the state directory is there without any gateway, so one that does not answer holds nobody up for longer. */
const limitMs = 2_000;

/* None when the gateway does not answer; that is said. */
export async function readAsksHere(context: CommandContext): Promise<readonly Ask[]> {
  const client = await openClientHere(context);
  if (client === undefined) return [];
  return readInTime(context, (signal) => readAsks(client, signal)).catch(async (error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    await context.io.stderr.write(
      `clf: what agents ask at the gateway is not known: ${makeVisible(why)}\n`,
    );
    return [];
  });
}

/* Throws `gateway-unreachable` when it takes too long. */
export async function readInTime<Answer>(
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

/* True when the words name what agents ask, and nothing else that waits here. */
export async function areAsksHere(
  context: CommandContext,
  typed: readonly string[],
): Promise<boolean> {
  const asks = await readAsksHere(context);
  const isAsk = (one: string): boolean => one !== '' && asks.some(({ id }) => id.startsWith(one));
  if (!typed.every(isAsk)) return false;
  await withApprovals(context, async ({ gatekeeper }) => {
    for (const one of typed) refuseIfBoth(gatekeeper, one, context.config.stateDir);
  });
  return true;
}

function refuseIfBoth(gatekeeper: Gatekeeper, typed: string, stateDir: string): void {
  try {
    findApproval(gatekeeper, typed, stateDir);
  } catch (error) {
    if (hasCode(error, 'approval-not-found')) return;
    throw error;
  }
  throw new CliError(
    'approval-ambiguous',
    `a command and a question of an agent begin with "${typed}"`,
    {
      hint: 'Type more of the id: clf approvals',
      detail: { typed },
    },
  );
}
