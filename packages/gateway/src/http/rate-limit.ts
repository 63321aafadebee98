/*
 * The limits that endpoints name, counted in the database so that several gateways count together (checklist 21).
 *
 * Every answer of a limited endpoint says where its caller stands: `RateLimit-Limit`, `-Remaining` and `-Reset` (seconds).
 */
import type { Clock } from '@clawdfather/kit';
import type { EndpointLimit } from '@clawdfather/protocol/api';
import type { Store } from '@clawdfather/store';
import type { FastifyReply } from 'fastify';
import { ApiError } from './api-error.ts';

export interface RateLimitDeps {
  readonly store: Store;
  readonly clock: Clock;
}

export interface RateLimitHit {
  /* Such as `POST /api/v1/keys`. */
  readonly scope: string;
  readonly subject: string;
  readonly limit: EndpointLimit;
}

export async function countHit(
  { store, clock }: RateLimitDeps,
  { scope, subject, limit }: RateLimitHit,
  reply: FastifyReply,
): Promise<void> {
  const { hitsMax, windowMs, lockMs } = limit;
  const { isAllowed, remaining, resetAtMs } = await store.system.rateLimits.hit({
    scope,
    subject,
    hitsMax,
    windowMs,
    ...(lockMs === undefined ? {} : { lockMs }),
  });
  const resetSeconds = Math.max(1, Math.ceil((resetAtMs - clock.wallMs()) / 1000));
  reply.headers({
    'ratelimit-limit': hitsMax,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
  });
  if (isAllowed) return;
  throw new ApiError('rate_limited', undefined, {
    detail: { retry_after_seconds: resetSeconds },
    headers: { 'retry-after': String(resetSeconds) },
  });
}
