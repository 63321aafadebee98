/*
 * Rate limits and lock-outs, counted in the database so that several gateways count together.
 *
 * A window is fixed: it begins with its first hit. Who goes beyond the limit may be locked out for longer than the window;
 * a lock outlives the window's row being counted anew.
 */
import type { QueryContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { checkText } from '../schema/json-text.ts';
import { createSelect } from '../select.ts';

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
  /** Without counting: is this one locked out? */
  lockedUntilMs(key: { scope: string; subject: string }): Promise<number | undefined>;
  forget(key: { scope: string; subject: string }): Promise<void>;
}

export function createRateLimits({ runner, clock }: QueryContext): RateLimits {
  return {
    hit: (limit) => runner.write((db) => hit(db, limit, clock.wallMs())),
    lockedUntilMs: async ({ scope, subject }) => {
      const [row] = await runner.select(selectLock, { scope, subject, nowMs: clock.wallMs() });
      return row?.locked_until_ms ?? undefined;
    },
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

interface LockFilter {
  readonly scope: string;
  readonly subject: string;
  readonly nowMs: number;
}

const selectLock = createSelect((db, { scope, subject, nowMs }: LockFilter) =>
  db
    .selectFrom('rate_limits')
    .select('locked_until_ms')
    .where('scope', '=', scope)
    .where('subject', '=', subject)
    .where('locked_until_ms', '>', nowMs),
);

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
