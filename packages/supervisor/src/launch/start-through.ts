/*
 * One start through spawnds that may die under it.
 *
 * A spawnd that is gone before the run was heard of may have started its shim, or not. The next one is asked for the same run:
 * the shims race for the run's intent and exactly one wins (S1), so the command runs once. The one that comes too
 * late says that the intent is claimed; then the winner is reached through its own socket.
 */
import { constants } from 'node:os';
import { hasCode } from '@clawdfather/kit';
import { type RunEvent, ShimError, type SpawnRequest } from '@clawdfather/shim';
import { launchesMax } from '../limits.ts';
import type { HeldSpawnd } from './held-spawnd.ts';
import type { Launched } from './launcher.ts';

export interface StartParts {
  readonly request: SpawnRequest;
  readonly onEvent: (event: RunEvent) => void;
  /* A spawnd that lives; rejects when none can be started. */
  readonly spawnd: () => Promise<HeldSpawnd>;
  /* No spawnd is started for it any more. */
  readonly isClosed: () => boolean;
}

interface Asked {
  readonly spawnd: HeldSpawnd;
  readonly handle: number;
}

export async function startThrough(parts: StartParts): Promise<Launched> {
  const { request, onEvent } = parts;
  let asked: Asked | undefined;
  let launches = 0;
  let isHeard = false;
  let isReferenced = false;
  let isDone = false;

  const mayTryAgain = (): boolean => launches < launchesMax && !isDone && !parts.isClosed();
  const release = (): void => {
    if (isReferenced) asked?.spawnd.letGo();
    asked = undefined;
  };

  const ask = async (): Promise<void> => {
    for (;;) {
      launches += 1;
      try {
        const spawnd = await parts.spawnd();
        if (isDone) return;
        asked = { spawnd, handle: spawnd.link.spawn(request, hear) };
        if (isReferenced) spawnd.hold();
        return;
      } catch (error) {
        /* It died while it started, or just now: nothing was asked of it. */
        if (!hasCode(error, 'link-lost') || !mayTryAgain()) throw error;
      }
    }
  };

  const hear = (event: RunEvent): void => {
    if (event.type === 'lost' && !isHeard && mayTryAgain()) {
      release();
      ask().catch(() => onEvent(event));
      return;
    }
    isHeard = true;
    onEvent(launches > 1 && isClaimed(event) ? lostToTheFirst() : event);
  };

  await ask();
  return {
    ref: () => {
      if (isReferenced) return;
      isReferenced = true;
      asked?.spawnd.hold();
    },
    unref: () => {
      if (!isReferenced) return;
      isReferenced = false;
      asked?.spawnd.letGo();
    },
    close: () => {
      isDone = true;
      if (asked !== undefined) asked.spawnd.link.forget(asked.handle);
      release();
      isReferenced = false;
    },
  };
}

function isClaimed(event: RunEvent): boolean {
  if (event.type !== 'spawn-error' || event.endFollows) return false;
  return event.stage === 'claim' && event.errno === constants.errno.EEXIST;
}

function lostToTheFirst(): RunEvent {
  const error = new ShimError('link-lost', 'a spawnd that is gone has started it');
  return { type: 'lost', error };
}
