/*
 * The limits that endpoints name, counted in the database so that several gateways count together.
 *
 * Every answer of a limited endpoint says where its caller stands: `RateLimit-Limit`, `-Remaining` and `-Reset` (seconds).
 *
 * A count is a write that waits for the disk. A caller that goes on after a refusal must not cause more writes, so a refusal is
 * remembered here until it ends.
 */
import { type Clock, makeRoom } from '@clawdfather/kit';
import type { EndpointLimit } from '@clawdfather/protocol/api';
import type { Store } from '@clawdfather/store';
import { ApiError } from './api-error.ts';

export interface RateLimits {
  count(hit: RateLimitHit): Promise<Standing>;
}

export interface RateLimitHit {
  /* Such as `POST /api/v1/keys`. */
  readonly scope: string;
  readonly subject: string;
  readonly limit: Omit<EndpointLimit, 'per'>;
}

/* How much of a limit a caller has used. */
export interface Standing {
  readonly isAllowed: boolean;
  /* The database was asked; a refusal that is only remembered is not news. */
  readonly isNews: boolean;
  readonly hitsMax: number;
  readonly remaining: number;
  /* When it is worth trying again, or when the window ends. */
  readonly resetSeconds: number;
}

/* More than knock at once; beyond it the oldest refusal is forgotten and asked for again. */
const refusalsMax = 10_000;

export function createRateLimits({
  store,
  clock,
}: {
  readonly store: Store;
  readonly clock: Clock;
}): RateLimits {
  const refusals = new Map<string, { readonly untilMs: number }>();
  return {
    count: async ({ scope, subject, limit }) => {
      const { hitsMax, windowMs, lockMs } = limit;
      const key = `${scope} ${subject}`;
      const known = refusals.get(key);
      const leftMs = known === undefined ? 0 : known.untilMs - clock.monotonicMs();
      if (leftMs > 0) {
        return standing({ isAllowed: false, isNews: false, hitsMax, remaining: 0 }, leftMs);
      }
      refusals.delete(key);
      const lock = lockMs === undefined ? {} : { lockMs };
      const found = await store.system.rateLimits.hit({
        scope,
        subject,
        hitsMax,
        windowMs,
        ...lock,
      });
      const { isAllowed, remaining } = found;
      const resetMs = found.resetAtMs - clock.wallMs();
      if (!isAllowed) {
        makeRoom(refusals, refusalsMax);
        refusals.set(key, { untilMs: clock.monotonicMs() + resetMs });
      }
      return standing({ isAllowed, isNews: true, hitsMax, remaining }, resetMs);
    },
  };
}

function standing(facts: Omit<Standing, 'resetSeconds'>, resetMs: number): Standing {
  return { ...facts, resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)) };
}

export function limitHeaders({ hitsMax, remaining, resetSeconds }: Standing) {
  return {
    'ratelimit-limit': String(hitsMax),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  };
}

export function rateLimited(found: Standing): ApiError {
  const { resetSeconds } = found;
  return new ApiError('rate_limited', undefined, {
    detail: { retry_after_seconds: resetSeconds },
    headers: { ...limitHeaders(found), 'retry-after': String(resetSeconds) },
  });
}
