/*
 * `clf allow` and `clf deny` for what an agent asks, wherever that is answered: at the gateway that was named, at the one of this machine,
 * or on this machine without one.
 *
 * Deciding is a person's, at a terminal and outside of any run (A5), with a gateway or without.
 */
import { readLineage } from '@clawdfather/supervisor';
import { isAtTerminal } from '../approvals/decide.ts';
import { eachApproval } from '../approvals/each-approval.ts';
import { findWaiting } from '../approvals/find-waiting.ts';
import { withApprovals } from '../approvals/with-approvals.ts';
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import type { ExitStatus } from '../exit-status.ts';
import { findPlace, flagHere } from '../sign-in/find-gateway.ts';
import { answerAsk } from './answer-ask.ts';
import type { AskDesk } from './ask-desk.ts';
import { createAsksHere, findAsked } from './asks-here.ts';
import type { AskDecision } from './choose-option.ts';

export interface AskedDecision {
  /* As a person named them. */
  readonly typed: readonly string[];
  readonly decision: AskDecision;
  readonly reason?: string | undefined;
  /* Of what an agent asks, by its id. */
  readonly option?: string | undefined;
}

/* Undefined: no gateway was named, and the words name nothing that an agent asks here. */
export async function decideAsked(
  context: CommandContext,
  wish: AskedDecision,
): Promise<ExitStatus | undefined> {
  const decideRemotely = async (): Promise<ExitStatus> =>
    (await import('../approvals/at-gateway.ts')).decideRemotely(context, wish);
  if (findPlace(context) !== undefined) return decideRemotely();
  await using here = createAsksHere(context);
  const desk = await findAsked(context, here, wish.typed);
  if (desk === undefined) return undefined;
  // Awaited here: what is open closes when this function ends.
  return await (desk.place === 'gateway' ? decideRemotely() : decideHere(context, desk, wish));
}

async function decideHere(
  context: CommandContext,
  desk: AskDesk,
  { typed, decision, reason, option }: AskedDecision,
): Promise<ExitStatus> {
  await refuseUnlessPerson(context);
  const flag = flagHere(context.config);
  const asks = await desk.list();
  const found = typed.map((one) => findWaiting(asks, one, flag));
  const wish = { decision, option, reason, flag };
  return eachApproval(
    context,
    found.map(({ id }) => id),
    async (id) => {
      const ask = found.find((one) => one.id === id);
      if (ask !== undefined) await answerAsk(context, desk, { ask, wish });
    },
  );
}

/* Nobody is marked as the one who asked: an agent is inside its own run, and whoever is inside any run decides nothing. */
const askedByAgent = { requesterMarks: '[]', requester: '' };

async function refuseUnlessPerson(context: CommandContext): Promise<void> {
  const { whyMayNotDecide } = await import('@clawdfather/tools');
  const decider = { lineage: readLineage(context.config.pid), isAtTerminal: isAtTerminal() };
  await withApprovals(context, async ({ store }) => {
    const why = whyMayNotDecide(store, askedByAgent, decider);
    if (why === undefined) return;
    throw new CliError('approval-refused', `you may not decide this: ${why}`, {
      hint: 'Decide in a terminal of your own, outside of any run; over ssh, ask for one with -t.',
    });
  });
}
