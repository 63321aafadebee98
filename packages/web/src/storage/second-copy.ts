/*
 * A second copy of what nobody else has: messages that wait, drafts, and whose they are.
 *
 * Chromium may find its database damaged when it was killed while it wrote, as phones kill it, and then begins an empty one; no transaction
 * helps (docs/decisions/0041-what-nobody-else-has-is-kept-twice.md). It has buckets, whose databases are files of their own. So each change goes into the
 * usual database first and then into that of a bucket, and a kill meets one of the two. Other browsers have no buckets, and no need of them.
 *
 * - The first copy is the one that counts: the second is made equal to it, before a change is done, one tab at a time.
 * - Everyone who is signed in has a note. A first copy without any beside a second one with some was lost, and gets its rows back.
 * - Signing out removes the second before it empties the first, so that nothing comes back from it.
 * - A second copy that does not answer is given up for this page: what is written must not wait for it.
 */
import { type Clock, within } from '@clawdfather/kit';
import type { DeviceTables, TableName } from './device-tables.ts';

const twiceKept = ['outbox', 'drafts', 'notes'] as const satisfies readonly TableName[];

/* It answers in milliseconds, also on a slow phone. */
const answerMsMax = 3_000;

export interface SecondCopy {
  readonly tables: DeviceTables;
  /* With all that is in it. It has to be opened anew then. */
  remove(): Promise<void>;
}

export interface TwiceDeps {
  readonly clock: Pick<Clock, 'timer'>;
  /* Runs one piece of work at a time, over all tabs. */
  readonly lock: (work: () => Promise<void>) => Promise<void>;
}

export async function keepTwice(
  first: DeviceTables,
  second: SecondCopy,
  { clock, lock }: TwiceDeps,
): Promise<DeviceTables> {
  let isGivenUp = false;
  const late = (): void => {
    isGivenUp = true;
  };
  const inTurn = async (work: () => Promise<void>): Promise<void> => {
    if (!isGivenUp) await within(lock(work), { clock, ms: answerMsMax, late });
  };
  const copy = async (table: TableName): Promise<void> => {
    if (isKeptTwice(table)) {
      await inTurn(() => makeEqual(table, { from: first, to: second.tables }));
    }
  };
  await inTurn(async () => {
    if ((await first.all('notes')).length > 0) return;
    // The notes last: a kill in between is one more loss.
    for (const table of twiceKept) await putBack(table, { from: second.tables, to: first });
  });
  for (const table of twiceKept) await copy(table);
  return {
    ...first,
    put: async (table, row) => {
      await first.put(table, row);
      await copy(table);
    },
    remove: async (table, keys) => {
      await first.remove(table, keys);
      await copy(table);
    },
    change: async (table, work) => {
      const result = await first.change(table, work);
      await copy(table);
      return result;
    },
    clear: async () => {
      let isCleared = false;
      const clear = async (): Promise<void> => {
        await second.remove();
        await first.clear();
        isCleared = true;
      };
      await inTurn(clear);
      // Without the others' consent, where one of them does not let go.
      if (!isCleared) await clear();
    },
  };
}

function isKeptTwice(table: TableName): table is (typeof twiceKept)[number] {
  return (twiceKept as readonly TableName[]).includes(table);
}

interface Way {
  readonly from: DeviceTables;
  readonly to: DeviceTables;
}

/* What was written since stays as it is. */
async function putBack(table: (typeof twiceKept)[number], { from, to }: Way): Promise<void> {
  const rows = await from.all(table);
  if (rows.length === 0) return;
  await to.change(table, (known) => {
    const keys = new Set(known.map(({ key }) => key));
    return { put: rows.filter(({ key }) => !keys.has(key)), result: undefined };
  });
}

async function makeEqual(table: (typeof twiceKept)[number], { from, to }: Way): Promise<void> {
  const rows = await from.all(table);
  const copies = new Map((await to.all(table)).map((row) => [row.key, JSON.stringify(row)]));
  const put = rows.filter((row) => copies.get(row.key) !== JSON.stringify(row));
  for (const { key } of rows) copies.delete(key);
  const remove = [...copies.keys()];
  if (put.length + remove.length === 0) return;
  await to.change(table, () => ({ put, remove, result: undefined }));
}
