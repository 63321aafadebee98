/*
 * A question that changes nothing, asked until the gateway answers: it may be starting anew, or the network be gone.
 */
import { type Clock, hasCode, hasErrno, type Random } from '@clawdfather/kit';
import { backoffMs, type LinkState, RefusedError } from '@clawdfather/sdk';

export interface RetryDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly onLink: (state: LinkState) => void;
}

export async function retried<Answer>(
  { clock, random, onLink }: RetryDeps,
  ask: () => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await ask();
      if (attempt > 0) onLink({ kind: 'live' });
      return answer;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPassing(error)) throw error;
      const retryInMs = backoffMs(attempt, random);
      onLink({ kind: 'lost', retryInMs });
      await clock.sleep(retryInMs, signal);
    }
  }
}

/* A start is asked for again this often: a gateway that restarts is back by then, and a person waits. */
const startAttemptsMax = 5;

/*
 * As `retried`, for what starts something: it has a key, so asking again is harmless, but not for ever. What never reached the
 * gateway is not asked again.
 */
export async function startedOnce<Answer>(
  deps: RetryDeps,
  ask: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  let attempts = 0;
  let last: unknown;
  const bounded = (): Promise<Answer> => {
    attempts += 1;
    return ask().catch((error: unknown) => {
      last = error;
      const isFinal = attempts >= startAttemptsMax || (attempts === 1 && wasNeverSent(error));
      throw isFinal ? new Error('enough') : error;
    });
  };
  try {
    return await retried(deps, bounded, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw last ?? error;
  }
}

function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return hasErrno(error, 'ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH') || wasNeverSent(error.cause);
}

export function isPassing(error: unknown): boolean {
  if (!(error instanceof RefusedError)) return hasCode(error, 'gateway-unreachable');
  const { status } = error.refusal;
  return status >= 500 || status === 429;
}
