/*
 * The sessions of an account that have not ended. It has three at most (start-session.ts), so one page of each status holds them.
 */
import type { AccountQueries, Session } from '@clawdfather/store';

const pageMax = 100;

export async function listOpenSessions({
  sessions,
}: Pick<AccountQueries, 'sessions'>): Promise<readonly Session[]> {
  const pending = await sessions.list({ status: 'pending', limit: pageMax });
  const active = await sessions.list({ status: 'active', limit: pageMax });
  return [...pending.items, ...active.items];
}
