/*
 * All events of a thread, page by page.
 */
import { parseAccountId, type Store, type ThreadEvent } from '@clawdfather/store';

export async function readEvents(
  store: Store,
  accountId: string,
  threadId: string,
): Promise<readonly ThreadEvent[]> {
  const { events } = store.forAccount(parseAccountId(accountId));
  const all: ThreadEvent[] = [];
  for (;;) {
    const page = await events.read({ threadId, afterSeq: all.at(-1)?.seq ?? 0 });
    if (page.length === 0) return all;
    all.push(...page);
  }
}
