/*
 * An outbox in memory, for tests and for programs that keep nothing.
 */
import { isUnsettled } from './next-outbox-row.ts';
import type { OutboxRow, OutboxStore } from './outbox-store.ts';

export function createMemoryOutboxStore(): OutboxStore {
  const byKey = new Map<string, OutboxRow>();
  let order = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    rows: async () => [...byKey.values()].toSorted((one, other) => one.order - other.order),
    append: async (row, rowsMax) => {
      const open = [...byKey.values()].filter(({ state }) => isUnsettled(state));
      if (open.length >= rowsMax) return undefined;
      order += 1;
      const appended = { ...row, order };
      byKey.set(row.key, appended);
      return appended;
    },
    replace: async (row) => {
      if (byKey.has(row.key)) byKey.set(row.key, row);
    },
    remove: async (key) => void byKey.delete(key),
    withLock: async (work) => {
      const mine = last.then(work);
      // Whoever comes next waits for its end, however it ends.
      last = mine.catch(() => {});
      return mine;
    },
  };
}
