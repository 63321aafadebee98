/*
 * A question that changes nothing, asked until the gateway answers: it may be starting anew, or the network be gone.
 */
import { type Clock, hasCode, type Random } from '@clawdfather/kit';
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

export function isPassing(error: unknown): boolean {
  if (!(error instanceof RefusedError)) return hasCode(error, 'gateway-unreachable');
  const { status } = error.refusal;
  return status >= 500 || status === 429;
}
