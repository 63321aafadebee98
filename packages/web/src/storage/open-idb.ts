/*
 * The tables in IndexedDB: one database, with a version that only grows, and its second copy where the browser has buckets.
 *
 * Another tab may have a newer version of the app: then our connection makes room, so that its upgrade is not blocked, and ours can
 * no longer be opened (the app falls back to memory and offers to reload). Some browsers never answer when they are asked to open a database,
 * so that has a limit.
 */
import { type Clock, within } from '@clawdfather/kit';
import { type DBSchema, type IDBPDatabase, wrap } from 'idb';
import { openInTime } from './connection.ts';
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
  const first = await openCopy(indexedDB);
  // One that does not come in time must not keep the first one waiting, which has all that there is.
  const second = await within(openSecond(), { clock, ms: secondMsMax, late: () => undefined });
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
async function openSecond(): Promise<SecondCopy | undefined> {
  try {
    const { storageBuckets } = navigator as WithBuckets;
    if (storageBuckets === undefined) return undefined;
    held = await storageBuckets.open(bucketName);
    const tables = await openCopy(held.indexedDB);
    return { tables, remove: () => storageBuckets.delete(bucketName) };
  } catch {
    return undefined;
  }
}

const lock: TwiceDeps['lock'] = (work) => navigator.locks.request(bucketName, work);

async function openCopy(factory: IDBFactory): Promise<DeviceTables> {
  let isClosed = false;
  const opened = await openDatabase(factory, () => {
    isClosed = true;
  });
  const database = (): IDBPDatabase<Schema> => {
    if (isClosed) throw new DOMException('its connection was closed', 'InvalidStateError');
    return opened;
  };
  return createIdbTables(database);
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

function createIdbTables(database: () => IDBPDatabase<Schema>): DeviceTables {
  return {
    // A table has the rows that the schema above says, which the library's types lose for a name that varies.
    read: async <Name extends TableName>(table: Name, key: string) =>
      (await database().get(table, key)) as Rows[Name] | undefined,
    all: async <Name extends TableName>(table: Name) =>
      (await database().getAll(table)) as readonly Rows[Name][],
    put: async (table, row) => void (await database().put(table, row)),
    remove: async (table, keys) => {
      const transaction = database().transaction(table, 'readwrite');
      await Promise.all([...keys.map((key) => transaction.store.delete(key)), transaction.done]);
    },
    change: async <Name extends TableName, Result>(
      table: Name,
      work: (rows: readonly Rows[Name][]) => Change<Rows[Name], Result>,
    ) => {
      const transaction = database().transaction(table, 'readwrite', { durability: 'strict' });
      const { store, done } = transaction;
      const { put = [], remove = [], result } = work((await store.getAll()) as Rows[Name][]);
      await Promise.all([
        ...put.map((row) => store.put(row)),
        ...remove.map((key) => store.delete(key)),
        done,
      ]);
      return result;
    },
    sizes: async () => {
      const sizes: { key: string; bytes: number }[] = [];
      const { store } = database().transaction('snapshots');
      let cursor = await store.index('age').openKeyCursor();
      while (cursor !== null) {
        sizes.push({ key: cursor.primaryKey, bytes: cursor.key[1] });
        cursor = await cursor.continue();
      }
      return sizes;
    },
    clear: async () => {
      const transaction = database().transaction(tableNames, 'readwrite');
      await Promise.all([
        ...tableNames.map((name) => transaction.objectStore(name).clear()),
        transaction.done,
      ]);
    },
  };
}
