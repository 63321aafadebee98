/*
 * Rate limits and lock-outs, counted in the database so that several gateways count together.
 *
 * A window is fixed: it begins with its first hit. A caller beyond the limit may be locked out for longer than the
 * window; the lock stays when the window begins again.
 */
import type { QueryContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { checkText } from '../schema/json-text.ts';

export interface RateLimit {
  /** What is limited, such as `auth.callback`. */
  readonly scope: string;
  /** Who: an address, an account, a connection. */
  readonly subject: string;
  readonly hitsMax: number;
  readonly windowMs: number;
  readonly lockMs?: number;
}

export interface RateLimitOutcome {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** When it is worth trying again, or when the window ends. */
  readonly resetAtMs: number;
}

export interface RateLimits {
  hit(limit: RateLimit): Promise<RateLimitOutcome>;
  forget(key: { scope: string; subject: string }): Promise<void>;
}

export function createRateLimits({ runner, clock }: QueryContext): RateLimits {
  return {
    hit: (limit) => runner.write((db) => hit(db, limit, clock.wallMs())),
    forget: ({ scope, subject }) =>
      runner.write(async (db) => {
        await db
          .deleteFrom('rate_limits')
          .where('scope', '=', scope)
          .where('subject', '=', subject)
          .execute();
      }),
  };
}

async function hit(db: Database, limit: RateLimit, nowMs: number): Promise<RateLimitOutcome> {
  const { scope, hitsMax, windowMs, lockMs } = limit;
  const subject = checkText('subject', limit.subject);
  const old = await db
    .selectFrom('rate_limits')
    .selectAll()
    .where('scope', '=', scope)
    .where('subject', '=', subject)
    .executeTakeFirst();
  const lockedUntilMs = old?.locked_until_ms ?? 0;
  if (lockedUntilMs > nowMs) return { isAllowed: false, remaining: 0, resetAtMs: lockedUntilMs };
  const isRunning = old !== undefined && old.window_ends_at_ms > nowMs;
  const hits = isRunning ? old.hits + 1 : 1;
  const endsAtMs = isRunning ? old.window_ends_at_ms : nowMs + windowMs;
  const isAllowed = hits <= hitsMax;
  const lockUntilMs = isAllowed || lockMs === undefined ? undefined : nowMs + lockMs;
  const fields = {
    window_started_at_ms: isRunning ? old.window_started_at_ms : nowMs,
    window_ends_at_ms: Math.max(endsAtMs, lockUntilMs ?? 0),
    hits,
    locked_until_ms: lockUntilMs ?? null,
  };
  await db
    .insertInto('rate_limits')
    .values({ scope, subject, ...fields })
    .onConflict((conflict) => conflict.columns(['scope', 'subject']).doUpdateSet(fields))
    .execute();
  const resetAtMs = lockUntilMs ?? endsAtMs;
  return { isAllowed, remaining: Math.max(0, hitsMax - hits), resetAtMs };
}
