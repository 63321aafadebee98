/*
 * Both databases, for every test: `onBoth` defines a test twice. PostgreSQL is started once per file, and each test has a
 * fresh database of its own that may be opened several times, as by several gateways.
 */
import { test, type TestContext } from 'node:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { type PostgresAddress, type PostgresServer, usePostgres } from '@clawdfather/testkit';
import type { Engine } from '../src/engine.ts';
import { openPostgres } from '../src/postgres/open-postgres.ts';
import { openSqlite } from '../src/sqlite/open-sqlite.ts';
import { openStore, type Store, type StoreLocation } from '../src/store.ts';

/** Real time for waiting; the wall clock is moved by the test. */
export interface MovableClock extends Clock {
  advance(ms: number): void;
}

export interface Backend {
  readonly kind: 'sqlite' | 'postgres';
  readonly location: StoreLocation;
  readonly clock: MovableClock;
  readonly directory: string;
  /** Only on PostgreSQL. */
  readonly server: PostgresServer | undefined;
  readonly address: PostgresAddress | undefined;
  /** Closed at the end of the test. */
  readonly open: (location?: StoreLocation) => Promise<Store>;
  readonly openEngine: () => Promise<Engine>;
}

type Body = (backend: Backend, context: TestContext) => Promise<void>;

const postgres = usePostgres();

export function onBoth(name: string, body: Body): void {
  test(`${name} (SQLite)`, (context) => run('sqlite', body, context));
  onPostgres(name, body);
}

export function onPostgres(name: string, body: Body): void {
  const { skip } = postgres;
  test(`${name} (PostgreSQL)`, { skip }, (context) => run('postgres', body, context));
}

export function onSqlite(name: string, body: Body): void {
  test(name, (context) => run('sqlite', body, context));
}

async function run(kind: Backend['kind'], body: Body, context: TestContext): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'clf-store-'));
  const address = kind === 'postgres' ? await postgres.server.createDatabase() : undefined;
  const location: StoreLocation =
    address === undefined
      ? { kind: 'sqlite', path: join(directory, 'control.db') }
      : { kind: 'postgres', connectionString: address.connectionString };
  const clock = createMovableClock();
  const deps = { clock, random: createSystemRandom() };
  const closing: (() => Promise<void>)[] = [];
  try {
    await body(
      {
        kind,
        location,
        clock,
        directory,
        server: kind === 'postgres' ? postgres.server : undefined,
        address,
        open: async (at = location) => {
          const store = await openStore(at, deps);
          closing.push(() => store.close());
          return store;
        },
        openEngine: async () => {
          const engine =
            location.kind === 'sqlite'
              ? await openSqlite(location, deps)
              : openPostgres(location, deps);
          closing.push(() => engine.close());
          return engine;
        },
      },
      context,
    );
  } finally {
    for (const close of closing) await close();
    await rm(directory, { recursive: true, force: true });
  }
}

export function createMovableClock(): MovableClock {
  const system = createSystemClock();
  let offsetMs = 0;
  return {
    ...system,
    wallMs: () => system.wallMs() + offsetMs,
    advance: (ms) => {
      offsetMs += ms;
    },
  };
}
