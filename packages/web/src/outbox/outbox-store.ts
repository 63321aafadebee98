/*
 * Where the sdk's outbox keeps its rows in a browser: in the tables of the device, with one sender among all tabs and the worker (Web Locks).
 */
import type { OutboxRow, OutboxState, OutboxStore } from '@clawdfather/sdk';
import type { DeviceTables } from '../storage/device-tables.ts';

const lockName = 'clawdfather-outbox';

export type Locks = Pick<LockManager, 'request'>;

/* Without Web Locks (no https) senders wait for each other only within a page; the keys of the rows keep the rest from happening twice. */
export function createDeviceOutboxStore(
  tables: DeviceTables,
  locks: Locks | undefined,
): OutboxStore {
  let last: Promise<unknown> = Promise.resolve();
  const inPage = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work);
    // The next one waits for its end, however it ends.
    last = mine.catch(() => {});
    return mine;
  };
  return {
    rows: async () => inOrder(await tables.all('outbox')),
    append: (row, rowsMax) =>
      tables.change('outbox', (rows) => {
        const open = rows.filter(({ state }) => isOpen(state));
        if (open.length >= rowsMax) return { result: undefined };
        const order = rows.reduce((highest, other) => Math.max(highest, other.order), 0) + 1;
        const appended = { ...row, order };
        return { put: [appended], result: appended };
      }),
    replace: (row) =>
      tables.change('outbox', (rows) => ({
        put: rows.some(({ key }) => key === row.key) ? [row] : [],
        result: undefined,
      })),
    remove: (key) => tables.remove('outbox', [key]),
    withLock: (work) =>
      locks === undefined
        ? inPage(work)
        : inPage(() => locks.request(lockName, () => work()) as ReturnType<typeof work>),
  };
}

/* It takes a place: those that are settled are only still shown. */
function isOpen({ kind }: OutboxState): boolean {
  return kind === 'written' || kind === 'sent' || kind === 'unknown';
}

function inOrder(rows: readonly OutboxRow[]): readonly OutboxRow[] {
  return rows.toSorted((one, other) => one.order - other.order);
}
