/*
 * Who may answer what an agent asks: a token, which an agent may hold, answers nothing of what its own prompt led to, neither in the
 * thread that it prompted nor in those that agents have prompted in turn.
 */
import type { ThreadRecords, TurnRow } from '@clawdfather/agents';
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
  if (!(await goesBackTo(records, ledTo, actorOf(caller)))) return;
  throw ledToByItself();
}

export function ledToByItself(): ApiError {
  return new ApiError('forbidden', 'a token does not answer what its own prompt led to');
}

/* Which turn of an agent made it prompt another is not known, so all of them count. Each thread is looked at once. */
export async function goesBackTo(
  records: Pick<ThreadRecords, 'turns'>,
  turns: readonly TurnRow[],
  actor: string,
): Promise<boolean> {
  const seen = new Set<string>();
  let next = turns;
  while (next.length > 0) {
    if (next.some(({ requester }) => requester === actor)) return true;
    const threads = next
      .map(({ requester }) => /^thread:(.+)$/.exec(requester)?.[1])
      .filter((id) => id !== undefined && !seen.has(id));
    const ids = new Set(threads as readonly string[]);
    for (const id of ids) seen.add(id);
    next = (await Promise.all([...ids].map((id) => records.turns(id)))).flat();
  }
  return false;
}
