/*
 * Everything that a page has left in its browser, as text: storages, databases, caches, address, history and notifications.
 */
import type { Page } from 'playwright-core';

export interface KeptOnDevice {
  /* By place, such as `localStorage` or `database NAME/TABLE`; empty ones are left out. */
  readonly places: Readonly<Record<string, string>>;
}

const attemptsMax = 20;

export async function readKept(page: Page): Promise<KeptOnDevice> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readOnce(page);
    } catch (error) {
      // So Chromium answers while the app removes the bucket that is being read.
      const isBeingRemoved = String(error).includes('UnknownError: Internal error');
      if (!isBeingRemoved || attempt === attemptsMax) throw error;
    }
  }
}

async function readOnce(page: Page): Promise<KeptOnDevice> {
  const places = await page.evaluate(async () => {
    const found: Record<string, string> = {};
    const note = (place: string, text: string): void => {
      if (text !== '') found[place] = text;
    };
    const entries = (storage: Storage): string =>
      Object.entries(storage)
        .map(([key, value]) => `${key}=${String(value)}`)
        .join('\n');
    note('localStorage', entries(localStorage));
    note('sessionStorage', entries(sessionStorage));
    note('cookies for scripts', document.cookie);
    note('address', location.search + location.hash);
    note('history', JSON.stringify(history.state) === 'null' ? '' : JSON.stringify(history.state));
    const settled = <Value>(request: IDBRequest<Value>): Promise<Value> =>
      new Promise((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(request.error ?? new Error('no database')));
      });
    const noteDatabases = async (factory: IDBFactory, where: string): Promise<void> => {
      for (const { name } of await factory.databases()) {
        if (name === undefined) continue;
        const database = await settled(factory.open(name));
        for (const table of database.objectStoreNames) {
          const rows = await settled(database.transaction(table).objectStore(table).getAll());
          const text = rows.map((row) => JSON.stringify(row)).join('\n');
          note(`${where}database ${name}/${table}`, text);
        }
        database.close();
      }
    };
    await noteDatabases(indexedDB, '');
    const { storageBuckets: buckets } = navigator as {
      readonly storageBuckets?: {
        keys(): Promise<readonly string[]>;
        open(name: string): Promise<{ readonly indexedDB: IDBFactory }>;
      };
    };
    for (const name of (await buckets?.keys()) ?? []) {
      const bucket = await buckets?.open(name);
      if (bucket !== undefined) await noteDatabases(bucket.indexedDB, `bucket ${name}, `);
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      const texts: string[] = [];
      for (const request of await cache.keys()) {
        const answer = await cache.match(request);
        texts.push(`${request.url}\n${(await answer?.text()) ?? ''}`);
      }
      note(`cache ${name}`, texts.join('\n'));
    }
    const registration = await navigator.serviceWorker?.getRegistration();
    for (const { title, body, tag, data } of (await registration?.getNotifications()) ?? []) {
      note('notifications', JSON.stringify([found['notifications'], title, body, tag, data]));
    }
    return found;
  });
  return { places };
}

/* The rows of one table of the app. */
export async function readTable<Row>(
  page: Page,
  table: 'snapshots' | 'drafts' | 'outbox' | 'notes',
): Promise<readonly Row[]> {
  const rows = await page.evaluate(async (name) => {
    const settled = <Value>(request: IDBRequest<Value>): Promise<Value> =>
      new Promise((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(request.error ?? new Error('no database')));
      });
    const database = await settled(indexedDB.open('clawdfather'));
    const all: unknown[] = await settled(database.transaction(name).objectStore(name).getAll());
    database.close();
    return all;
  }, table);
  return rows as readonly Row[];
}

/* Where any of the secrets is; a part of one counts. */
export function placesWith(
  { places }: KeptOnDevice,
  secrets: readonly string[],
): readonly string[] {
  return Object.entries(places)
    .filter(([, text]) => secrets.some((secret) => text.includes(secret)))
    .map(([place]) => place);
}
