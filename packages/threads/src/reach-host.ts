/*
 * The host of a thread's agent does not answer: it is tried again, after 1, 2, 4 … 30 s, and the turn says so. After ten minutes of silence
 * the turn is given up. What the rows have of it outlives this gateway, so a restart begins nothing anew.
 */
import { loseTurn, putOff, type TurnRow } from '@clawdfather/agents';
import { backoffMs, type Clock, type Log, type Random } from '@clawdfather/kit';
import type { Wait } from './due-by-clock.ts';
import { ThreadsError } from './errors.ts';
import type { KeptRows } from './thread-rows.ts';

export interface ReachHostDeps {
  readonly threadId: string;
  readonly rows: KeptRows;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /* What is left of a wait, by the steady clock (steady-rest.ts). */
  readonly restMs: (wait: Wait) => number;
  readonly silenceMs: number;
}

export interface ReachHost {
  /* Until the next try; zero or less: now. */
  restOf(turn: TurnRow | undefined): number;
  /* A try has failed. False: the turn was given up. */
  tryLater(turn: TurnRow, failure: ThreadsError): Promise<boolean>;
}

/* What may pass; everything else fails the turn at once. */
export function isHostAway(error: unknown): error is ThreadsError {
  return error instanceof ThreadsError && error.code === 'host-away';
}

/* No rest between two tries is longer. */
const restMsMax = 30_000;

export function createReachHost(deps: ReachHostDeps): ReachHost {
  const { rows, clock, random, log, threadId, restMs, silenceMs } = deps;
  return {
    restOf: (turn) => {
      if (turn?.reaching === undefined) return 0;
      const { tries, nextAtMs } = turn.reaching;
      const name = `try ${tries} ${turn.id}`;
      return restMs({ name, fromMs: nextAtMs - restMsMax, ms: restMsMax });
    },
    tryLater: async (turn, failure) => {
      const { id: turnId } = turn;
      const { message } = failure;
      const cause = causeOf(failure);
      const { sinceMs = clock.wallMs(), tries = 0 } = turn.reaching ?? {};
      const leftMs = restMs({ name: `silence ${turnId}`, fromMs: sinceMs, ms: silenceMs });
      log.event('turn.host-away', { threadId, turnId, cause, tries: tries + 1, leftMs });
      if (leftMs <= 0) {
        await rows.change((now) => {
          const change = loseTurn(now, { turnId, cause, message }, clock.wallMs());
          return change && { change };
        });
        return false;
      }
      const rest = (before: number): number => Math.min(backoffMs(before, random), leftMs);
      await rows.change((now) => {
        const put = { turnId, cause, message, restMs: rest };
        const change = putOff(now, put, clock.wallMs());
        return change && { change };
      });
      return true;
    },
  };
}

export function causeOf({ detail }: ThreadsError): string {
  const { cause } = detail;
  return typeof cause === 'string' ? cause : 'host-away';
}
