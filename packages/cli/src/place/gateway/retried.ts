/*
 * A question that changes nothing, asked until the gateway answers: it may be starting anew, or the network be gone.
 */
import { backoffMs, type Clock, hasCode, hasErrno, type Random } from '@clawdfather/kit';
import { type LinkState, RefusedError } from '@clawdfather/sdk';

export interface RetryDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly onLink: (state: LinkState) => void;
}

export async function retried<Answer>(
  deps: RetryDeps,
  ask: () => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  return repeated(deps, ask, { signal, isFinal: () => false });
}

/* A start is asked for this often: a gateway that restarts is back by then, and a person waits. */
const startAttemptsMax = 5;

/*
 * As `retried`, for what starts something: it has a key, so asking again is harmless, but it is not asked for ever. What never
 * reached the gateway is not asked again.
 */
export async function startedOnce<Answer>(
  deps: RetryDeps,
  ask: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const isFinal = (error: unknown, attempt: number): boolean =>
    attempt + 1 >= startAttemptsMax || (attempt === 0 && wasNeverSent(error));
  return repeated(deps, ask, { signal, isFinal });
}

interface Repeating {
  readonly signal: AbortSignal | undefined;
  /* `attempt` counts from 0. */
  readonly isFinal: (error: unknown, attempt: number) => boolean;
}

async function repeated<Answer>(
  { clock, random, onLink }: RetryDeps,
  ask: () => Promise<Answer>,
  { signal, isFinal }: Repeating,
): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await ask();
      if (attempt > 0) onLink({ kind: 'live' });
      return answer;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPassing(error) || isFinal(error, attempt)) throw error;
      const retryInMs = backoffMs(attempt, random);
      onLink({ kind: 'lost', retryInMs });
      await clock.sleep(retryInMs, signal);
    }
  }
}

function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return hasErrno(error, 'ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH') || wasNeverSent(error.cause);
}

export function isPassing(error: unknown): boolean {
  if (!(error instanceof RefusedError)) return hasCode(error, 'gateway-unreachable');
  const { status, code } = error.refusal;
  // A full disk does not pass by itself, nor does a host that turns us away: every attempt may count against us there.
  const isLasting = code === 'storage_full' || code === 'ssh_connect_failed';
  return (status >= 500 || status === 429) && !isLasting;
}
