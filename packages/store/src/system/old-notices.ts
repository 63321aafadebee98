/*
 * Notices that only want to be seen, and that nobody has looked at for a month, want nothing more: an inbox does not grow for ever.
 */
import type { QueryContext } from '../context.ts';
import { writeNews } from '../account/feed/news.ts';
import { cleanupRowsMax } from '../limits.ts';
import { parseAccountId } from './accounts.ts';

/** Of one call; the rest is for the next one. */
export async function resolveOld(context: QueryContext, untilMs: number): Promise<void> {
  const { runner } = context;
  const old = await runner.read((db) =>
    db
      .selectFrom('notices')
      .select(['account_id', 'key'])
      .where('resolved_at_ms', 'is', null)
      .where('class', 'in', ['done', 'failed', 'host_lost'])
      .where('created_at_ms', '<=', untilMs)
      .limit(cleanupRowsMax)
      .execute(),
  );
  for (const { account_id, key } of old) {
    const accountId = parseAccountId(account_id);
    await runner.writeRepeatable((db) =>
      writeNews(db, { ...context, accountId }, { resolves: [{ as: 'old', key }] }),
    );
  }
}
