/*
 * A decision about what waits for one, whichever kind it is: a held run, or what an agent asks. Those who decide see both in one
 * list, and name them by their ids.
 */
import type { AskAnswer, AskRow } from '@clawdfather/agents';
import { optionsOf } from '@clawdfather/agents/asks';
import { optionOfDecision } from '@clawdfather/protocol';
import { ApiError } from '../http/api-error.ts';
import { askerOf } from '../http/handlers.ts';
import { decideAsCaller, type DecideParts, type Decision } from '../runs/decide-approval.ts';
import { CallerThreads, type CallerThreadsDeps } from './caller-threads.ts';

export interface AskedDecision extends Decision {
  /* Of what an agent asks. Absent: the one of its options that the decision means. */
  readonly optionId?: string | undefined;
}

/* The state that it is in now. Throws an `ApiError`, or what the threads throw. */
export async function decideAsked(
  parts: DecideParts & CallerThreadsDeps,
  decision: AskedDecision,
): Promise<string> {
  const { approvalId, caller } = decision;
  const mine = new CallerThreads(parts, { caller, by: askerOf(decision) });
  const ask = await mine.records.ask(approvalId);
  if (ask === undefined) return (await decideAsCaller(parts, decision)).record.state;
  await mine.answer(ask.id, answerFor(ask, decision));
  return (await mine.records.ask(ask.id))?.state ?? 'answered';
}

/* Throws `option_not_offered`. */
function answerFor(ask: AskRow, { decision, optionId }: AskedDecision): AskAnswer {
  if (optionId !== undefined) return { kind: 'option', optionId };
  // A question has no options; all that a decision can say to it is no.
  if (ask.class === 'question' && decision === 'deny') return { kind: 'decline' };
  const chosen = optionOfDecision(optionsOf(ask), decision);
  if (chosen.outcome === 'one') return { kind: 'option', optionId: chosen.option.optionId };
  const which = chosen.outcome === 'none' ? 'none' : 'more than one';
  throw new ApiError('option_not_offered', `${which} of its options is "${chosen.kind}"`, {
    hint: 'Name the option.',
  });
}
