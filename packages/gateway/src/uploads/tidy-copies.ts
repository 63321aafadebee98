/*
 * When the copies of an account are put back into their bound: after each prompt with files, and with the sweep.
 *
 * HO3 No answer waits for it, and none becomes a failure by it: the turn is there. What could not be removed is logged, and the next sweep
 *     tries again.
 * HO4 What is broken in one account keeps no other from being swept. What hangs, at a file system that does not answer, keeps its account's
 *     prompts waiting for `limitMs` once, and is not begun again before it has ended.
 */
import { join } from 'node:path';
import {
  type Clock,
  errnoOf,
  isId,
  type Log,
  startTimeLimit,
  unlessAborted,
} from '@clawdfather/kit';
import { enterDirectory, holdDirectory } from '@clawdfather/kit/files';
import { type AccountId, parseAccountId, type Store } from '@clawdfather/store';
import { directoriesIn } from './expired-uploads.ts';
import type { InTurn } from './in-turn.ts';
import { homesNeeded, removeOldest } from './remove-oldest.ts';
import { unsafe } from './unsafe-place.ts';

export interface TidyDeps {
  readonly root: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Pick<Store, 'forAccount'>;
  /* A copy that is being made is not one that is too old. */
  readonly inTurn: InTurn;
}

export interface Tidy {
  /* When the account's turn comes. */
  readonly soon: (accountId: AccountId) => void;
  readonly sweep: () => Promise<void>;
}

/* Long enough to remove all that is too much on a slow disk, and short for a person whose next prompt waits for it. */
const limitMs = 5_000;
/* The clean-up comes every 60 s, and has other steps. Where a sweep stops, the next one gets further: it does not wait for what hangs still. */
const sweepLimitMs = 30_000;

export function createTidy(deps: TidyDeps): Tidy {
  const { clock, inTurn, log } = deps;
  const underWay = new Set<AccountId>();
  const tidy = async (accountId: AccountId): Promise<void> => {
    if (underWay.has(accountId)) return;
    underWay.add(accountId);
    await inTurn(accountId, async () => {
      const limit = startTimeLimit(clock, limitMs, []);
      const work = tidyOne(deps, accountId, limit.signal).finally(() => {
        limit[Symbol.dispose]();
        underWay.delete(accountId);
      });
      await unlessAborted(work, limit.signal);
      if (limit.signal.aborted) log.warn('attachments.copies-stay', { accountId, reason: 'slow' });
    });
  };
  return {
    soon: (accountId) => void tidy(accountId),
    sweep: async () => {
      using limit = startTimeLimit(clock, sweepLimitMs, []);
      for (const name of await accountsIn(deps)) {
        if (limit.signal.aborted) return;
        if (isId(name)) await unlessAborted(tidy(parseAccountId(name)), limit.signal);
      }
    },
  };
}

/* None where something else is in the place of the root: it may be a link of an agent's, and what that leads to is not ours to remove. */
async function accountsIn({ root, log }: TidyDeps): Promise<readonly string[]> {
  try {
    return await directoriesIn(root);
  } catch (error) {
    log.warn('attachments.copies-stay', { error });
    return [];
  }
}

/* Never rejects. */
async function tidyOne(
  { root, clock, log, store }: TidyDeps,
  accountId: AccountId,
  signal: AbortSignal,
): Promise<void> {
  try {
    await using accounts = await holdDirectory(root, unsafe);
    if (accounts === undefined) return;
    await using directory = await enterDirectory(accounts, accountId);
    const failures = await removeOldest({
      place: { path: join(root, accountId), directory },
      nowMs: clock.wallMs(),
      askNeeded: () => homesNeeded(store, accountId),
      signal,
    });
    if (failures.length === 0) return;
    // The message of such an error has the name that a person gave to a file.
    const reason = errnoOf(failures[0]);
    log.warn('attachments.copies-stay', { accountId, failures: failures.length, reason });
  } catch (error) {
    log.warn('attachments.copies-stay', { accountId, error });
  }
}
