/*
 * Who may answer what an agent asks: a token, which an agent may hold, answers nothing of what its own prompt led to.
 */
import type { ThreadRecords } from '@clawdfather/agents';
import { ApiError } from '../http/api-error.ts';
import { actorOf, type Caller } from '../http/caller.ts';

/* Throws `forbidden`. An ask that does not exist is somebody else's to refuse. */
export async function checkMayAnswer(
  records: Pick<ThreadRecords, 'ask' | 'turn' | 'turns'>,
  caller: Caller,
  askId: string,
): Promise<void> {
  if (caller.kind === 'device') return;
  const ask = await records.ask(askId);
  if (ask === undefined) return;
  const turn = ask.turnId === undefined ? undefined : await records.turn(ask.turnId);
  // Outside of a turn it may go back to any prompt of the thread.
  const ledTo = turn === undefined ? await records.turns(ask.threadId) : [turn];
  if (!ledTo.some(({ requester }) => requester === actorOf(caller))) return;
  throw new ApiError('forbidden', 'a token does not answer what its own prompt led to');
}
