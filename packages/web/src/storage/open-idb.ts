/*
 * The tables in IndexedDB: one database, with a version that only grows, and its second copy where the browser has buckets.
 *
 * Another tab may have a newer version of the app: then our connection makes room, so that its upgrade is not blocked, and ours can
 * no longer be opened (the app falls back to memory and offers to reload).
 *
 * Some browsers never answer: when they are asked to open a database, or, as WebKit after a page was left in the middle of a transaction, when
 * they are asked for anything in an open one. So both have a limit. A transaction that reaches it is aborted: what was given up does not
 * happen later on.
 */
import { type Clock, within } from '@clawdfather/kit';
import { type DBSchema, type IDBPDatabase, wrap } from 'idb';
import { openInTime, tooLate } from './connection.ts';
import {
  type Change,
  type DeviceTables,
  type Rows,
  type TableName,
  tableNames,
} from './device-tables.ts';
import { keepTwice, type SecondCopy, type TwiceDeps } from './second-copy.ts';

export const databaseName = 'clawdfather';
export const bucketName = 'clawdfather-second-copy';
const databaseVersion = 1;

/* A browser that opens one at all does so in milliseconds; a phone under load in a second. */
const openMsMax = 4_000;
const secondMsMax = 1_500;
/* One row is read in milliseconds. The page waits for the first one before it shows anything. */
const readMsMax = 6_000;
/* Rows that are counted in megabytes, or written through to the disk of a slow phone. */
const workMsMax = 12_000;

type Table<Name extends keyof Rows> = { readonly key: string; readonly value: Rows[Name] };

interface Schema extends DBSchema {
  readonly snapshots: Table<'snapshots'> & {
    readonly indexes: { readonly age: [atMs: number, bytes: number] };
  };
  readonly drafts: Table<'drafts'>;
  readonly outbox: Table<'outbox'>;
  readonly notes: Table<'notes'>;
}

export function openIdb(clock: Clock): Promise<DeviceTables> {
  return createIdbOpener(clock)();
}

/* For those who ask again when a connection was lost, or was slow. */
export function createIdbOpener(clock: Clock): () => Promise<DeviceTables> {
  return openInTime(() => openTables(clock), { clock, ms: openMsMax });
}

async function openTables(clock: Clock): Promise<DeviceTables> {
  const first = await openCopy(indexedDB, clock);
  // One that does not come in time must not keep the first one waiting, which has all that there is.
  const second = await within(openSecond(clock), { clock, ms: secondMsMax, late: () => undefined });
  return second === undefined ? first : keepTwice(first, second, { clock, lock });
}

/* What browsers with buckets have, which the language's own types do not know yet. */
interface WithBuckets {
  readonly storageBuckets?: {
    open(name: string): Promise<{ readonly indexedDB: IDBFactory }>;
    delete(name: string): Promise<void>;
  };
}

/* A bucket that is let go of takes the connections to its databases with it, and what is asked of them is never answered. */
let held: { readonly indexedDB: IDBFactory } | undefined;

/* Undefined: this browser has none, or refuses it; then there is one copy, as everywhere else. */
async function openSecond(clock: Clock): Promise<SecondCopy | undefined> {
  try {
    const { storageBuckets } = navigator as WithBuckets;
    if (storageBuckets === undefined) return undefined;
    held = await storageBuckets.open(bucketName);
    const tables = await openCopy(held.indexedDB, clock);
    return { tables, remove: () => storageBuckets.delete(bucketName) };
  } catch {
    return undefined;
  }
}

const lock: TwiceDeps['lock'] = (work) => navigator.locks.request(bucketName, work);

async function openCopy(factory: IDBFactory, clock: Clock): Promise<DeviceTables> {
  let isClosed = false;
  const opened = await openDatabase(factory, () => {
    isClosed = true;
  });
  const database = (): IDBPDatabase<Schema> => {
    if (isClosed) throw new DOMException('its connection was closed', 'InvalidStateError');
    return opened;
  };
  return createIdbTables(database, clock);
}

async function openDatabase(
  factory: IDBFactory,
  onClosed: () => void,
): Promise<IDBPDatabase<Schema>> {
  const request = factory.open(databaseName, databaseVersion);
  request.addEventListener('upgradeneeded', () => makeTables(request.result));
  const database = (await wrap(request)) as unknown as IDBPDatabase<Schema>;
  database.addEventListener('versionchange', () => {
    onClosed();
    database.close();
  });
  database.addEventListener('close', onClosed);
  return database;
}

function makeTables(database: IDBDatabase): void {
  const snapshots = database.createObjectStore('snapshots', { keyPath: 'key' });
  snapshots.createIndex('age', ['atMs', 'bytes']);
  for (const name of tableNames) {
    if (name !== 'snapshots') database.createObjectStore(name, { keyPath: 'key' });
  }
}

function createIdbTables(database: () => IDBPDatabase<Schema>, clock: Clock): DeviceTables {
  const inTime = createInTime(clock);
  return {
    read: async <Name extends TableName>(table: Name, key: string) => {
      const transaction = database().transaction(table);
      const row = transaction.store.get(key);
      // A table has the rows that the schema above says, which the library's types lose for a name that varies.
      return inTime(transaction, readMsMax, row) as Promise<Rows[Name] | undefined>;
    },
    all: async <Name extends TableName>(table: Name) => {
      const transaction = database().transaction(table);
      const rows = transaction.store.getAll();
      return inTime(transaction, workMsMax, rows) as Promise<readonly Rows[Name][]>;
    },
    put: async (table, row) => {
      const transaction = database().transaction(table, 'readwrite');
      const { store, done } = transaction;
      await inTime(transaction, workMsMax, Promise.all([store.put(row), done]));
    },
    remove: async (table, keys) => {
      const transaction = database().transaction(table, 'readwrite');
      const { store, done } = transaction;
      const removed = Promise.all([...keys.map((key) => store.delete(key)), done]);
      await inTime(transaction, workMsMax, removed);
    },
    change: async <Name extends TableName, Result>(
      table: Name,
      work: (rows: readonly Rows[Name][]) => Change<Rows[Name], Result>,
    ) => {
      const transaction = database().transaction(table, 'readwrite', { durability: 'strict' });
      const { store, done } = transaction;
      const change = async (): Promise<Result> => {
        const { put = [], remove = [], result } = work((await store.getAll()) as Rows[Name][]);
        await Promise.all([
          ...put.map((row) => store.put(row)),
          ...remove.map((key) => store.delete(key)),
          done,
        ]);
        return result;
      };
      return inTime(transaction, workMsMax, change());
    },
    sizes: async () => {
      const transaction = database().transaction('snapshots');
      const count = async () => {
        const sizes: { key: string; bytes: number }[] = [];
        let cursor = await transaction.store.index('age').openKeyCursor();
        while (cursor !== null) {
          sizes.push({ key: cursor.primaryKey, bytes: cursor.key[1] });
          cursor = await cursor.continue();
        }
        return sizes;
      };
      return inTime(transaction, workMsMax, count());
    },
    clear: async () => {
      const transaction = database().transaction(tableNames, 'readwrite');
      const cleared = Promise.all([
        ...tableNames.map((name) => transaction.objectStore(name).clear()),
        transaction.done,
      ]);
      await inTime(transaction, workMsMax, cleared);
    },
  };
}

type InTime = <Result>(
  transaction: Abortable,
  ms: number,
  result: Promise<Result>,
) => Promise<Result>;

function createInTime(clock: Clock): InTime {
  return async (transaction, ms, result) => {
    // What it failed with is told by the result.
    transaction.done.catch(() => undefined);
    // In two halves: the timers of a page that was frozen may be over before what was answered long ago is told.
    const half = { clock, ms: ms / 2 };
    const answer = result.then((value) => ({ value }));
    const early = await within(answer, { ...half, late: () => undefined });
    if (early !== undefined) return early.value;
    const late = (): never => {
      abort(transaction);
      throw tooLate('the database did not answer');
    };
    return within(result, { ...half, late });
  };
}

interface Abortable {
  readonly done: Promise<void>;
  abort(): void;
}

function abort(transaction: Abortable): void {
  try {
    transaction.abort();
  } catch {
    // It was done in this moment.
  }
}
