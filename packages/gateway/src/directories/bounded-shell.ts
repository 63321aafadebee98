/*
 * Shells that look at directories, few at a time for each account. On a mount whose server is gone a look does not end, not even when it is
 * killed: it waits in the kernel. So it is done by a process of its own and never by a thread of ours, it counts until that process
 * is gone, and a caller for whom there is no room in time is told so.
 */
import { orAborted } from '@clawdfather/kit';
import type { RunShell } from '../artifacts/shell-tree.ts';

/* One for what was typed last, and one for what was typed before it and is not over yet. */
const atOnceMax = 2;
/* How long an answer is waited for: a person types on meanwhile. */
export const lookMs = 4_000;

export class NoRoomError extends Error {}

export interface BoundedShells {
  /* `run` settles when its process is gone. Throws `NoRoomError` when there was no room until the signal aborted. */
  bound(accountId: string, run: RunShell): RunShell;
}

export function createBoundedShells(): BoundedShells {
  /* As many as there are accounts. */
  const running = new Map<string, Set<Promise<void>>>();
  return {
    bound: (accountId, run) => async (command) => {
      const mine = running.get(accountId) ?? new Set();
      running.set(accountId, mine);
      // Between the look and the start nothing is waited for: two that wait do not take the same place.
      while (mine.size >= atOnceMax) {
        await orAborted(Promise.race(mine), command.signal).catch(() => {
          throw new NoRoomError();
        });
      }
      const work = run(command);
      const over = work
        .then(
          () => undefined,
          // Told to the caller below, if it still waits.
          () => undefined,
        )
        .finally(() => mine.delete(over));
      mine.add(over);
      return await orAborted(work, command.signal);
    },
  };
}
