/*
 * Answers that take a while: a caller whose token was revoked meanwhile gets none. The work that was begun goes on.
 */
import type { Clock } from '@clawdfather/kit';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import type { LiveTokens } from './live-tokens.ts';

export interface StillInDeps {
  readonly tokens: Pick<LiveTokens, 'check'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/* A revocation takes effect within a second, so an answer that is quicker needs no second look. */
const unlookedMsMax = 500;

export async function ifStillIn<Answer>(
  { tokens, clock }: StillInDeps,
  { id }: Pick<Caller, 'id'>,
  answer: Promise<Answer>,
): Promise<Answer> {
  const sinceMs = clock.monotonicMs();
  const waitedFor = await answer;
  if (clock.monotonicMs() - sinceMs < unlookedMsMax) return waitedFor;
  // Without a database nothing can be revoked either, and the work must not look as if it had failed.
  const gone = await tokens.check([id]).catch(() => []);
  if (gone.length > 0) throw new ApiError('unauthorized');
  return waitedFor;
}
