/*
 * No query reads a whole table to find a few rows: the plan of every statement that the other tests' calls prepare.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import type { AskRow } from '@clawdfather/agents';
import type { AccountStore } from '@clawdfather/store';
import { addMore, calls, noIds } from '../account/calls.ts';
import { migrations } from '../../src/migrations/migrate.ts';
import { statementsFor } from '../../src/migrations/migration.ts';
import { onSqlite } from '../backends.ts';
import {
  bareAsk,
  busyThread,
  changeOf,
  committed,
  delta,
  endedTurn,
} from '../account/threads/thread-rows.ts';
import { createWorld, owner } from '../world.ts';

const limits = { ownerStaleMs: 120_000, idleGraceMs: 300_000 };

/* Small by nature, and read as a whole on purpose. An account has one row in `audit_heads`. */
const wholeTables = [
  'accounts',
  'audit_heads',
  'heads',
  'gateway_instances',
  'control_migrations',
  'sqlite_schema',
  // What a query has found itself, by an index.
  'contents',
];

onSqlite('every statement finds its rows by an index', async (backend, context) => {
  const spy = context.mock.method(DatabaseSync.prototype, 'prepare');
  const store = await backend.open();
  const world = await createWorld(store);
  const ids = { ...world, ...(await addMore(world)) };
  const { account } = world;
  for (const call of Object.values(calls)) if (call !== noIds) await call(account, ids);
  await account.devices.list();
  await account.apiTokens.list();
  // With what pushes out the oldest.
  await account.mcpSessions.create({
    idHash: 'another',
    tokenId: ids.tokenId,
    protocolVersion: '1',
    clientName: 'c',
    clientVersion: '1',
  });
  await account.connections.list();
  await account.sessions.list({ status: 'active' });
  await account.auditLog.list({ before: 9, action: 'test' });
  await account.once({ key: 'k', requestHash: 'h', work: async () => 1 });
  await allOfThreads(account);
  await store.system.threads.withRuns('gateway-a');
  await store.system.threads.withTurns();
  await store.system.threads.elsewhere('gateway-b');
  await store.system.instances.startsSince(0);
  await store.system.threads.runningTurns();
  await store.system.threads.waitingTurns();
  await store.system.threads.forgetRunsBefore(Number.MAX_SAFE_INTEGER);
  await store.system.artifacts.due('gateway-a');
  const dueBefore = { accountId: account.accountId, threadId: 't', turnId: 'u', askedAtMs: 1 };
  await store.system.artifacts.due('gateway-a', dueBefore);
  await store.system.artifacts.abandoned({ instanceId: 'gateway-b', askedBeforeMs: 1 });
  await store.system.artifacts.find('id');
  await store.system.artifacts.removeContentsBefore(Number.MAX_SAFE_INTEGER);
  await account.artifacts.bytesKept();
  await account.artifacts.isKept('hash');
  await store.system.tokens.find('hash-t');
  await store.system.tokens.stillGood(['id']);
  await store.system.leases.heartbeat(owner, limits);
  await store.system.leases.idle(owner, limits);
  await store.system.leases.onRevokedKeys(owner);
  await store.system.leases.ownedBy(owner);
  await store.system.leases.orphaned(owner, limits);
  await store.system.leases.count('active');
  await store.system.signIns.takeLink('l');
  for (const by of ['code', 'link', 'claim'] as const) await store.system.signIns.findCode(by, 'h');
  await store.system.signIns.takeState({ stateHash: 's', browserHash: 'b' });
  await store.system.cleanup.removeExpired();
  spy.mock.restore();
  const texts = new Set(spy.mock.calls.map((call) => call.arguments[0]));
  assert.ok(texts.size > 40);
  assert.equal(backend.location.kind, 'sqlite');
  const db = new DatabaseSync(backend.location.path);
  try {
    const scans = [...texts]
      .filter((text) => /^\s*(?:select|insert|update|delete|with)\b/i.test(text))
      .filter((text) => !ofMigrations.has(text))
      .flatMap((text) => scansOf(db, text).map((scan) => `${scan}: ${text}`));
    assert.deepEqual(scans, []);
  } finally {
    db.close();
  }
});

/** Every kind of row, added and changed, with blobs that nobody names once its run is forgotten. */
async function allOfThreads({ threads }: AccountStore): Promise<void> {
  const large = { text: 'x'.repeat(70_000) };
  const before = await busyThread(threads, 'p');
  const { run, turn, calls, asks } = before;
  const ask: AskRow = { ...bareAsk('large', run!.runId), params: large };
  const next = changeOf(before, {
    rows: {
      run: { ...run!, epoch: 9 },
      turn: undefined,
      calls: new Map([[3, { ...calls.get(3)!, state: 'answered' }]]),
      asks: new Map([
        ['ask-p', { ...asks.get('ask-p')!, state: 'void' }],
        ['large', ask],
      ]),
    },
    endedTurns: [endedTurn(turn!)],
    events: [delta(3), delta(4)],
  });
  const open = await committed(threads, before, next);
  const ended = { ...open.run!, state: 'lost', endedAtMs: 1 } as const;
  const voided = new Map<string, AskRow>([['large', { ...ask, state: 'void' }]]);
  const last = changeOf(open, { rows: { run: undefined, asks: voided }, endedRun: ended });
  await committed(threads, open, last);
  assert.equal(await threads.commit(open, last), 'committed', 'as after a lost answer');
  assert.equal(await threads.commit(before, next), 'committed', 'as after a lost answer');
  await threads.newestTurns({ limit: 9 });
  await threads.newestTurns({ code: 'error', statuses: ['failed', 'interrupted'], limit: 9 });
  await threads.list({ status: 'ready' });
  await threads.list({ includeArchived: true });
}

/* They run once. */
const ofMigrations = new Set(migrations.flatMap((one) => statementsFor('sqlite', one)));

function scansOf(db: DatabaseSync, text: string): readonly string[] {
  const parameters = Array.from({ length: (text.match(/\?/g) ?? []).length }, () => null);
  return db
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all(...parameters)
    .map((row) => String(row['detail']))
    .filter((detail) => detail.startsWith('SCAN ') && !detail.includes(' INDEX '))
    .filter((detail) => !detail.endsWith('VALUES CLAUSE'))
    .filter((detail) => !wholeTables.some((table) => detail.startsWith(`SCAN ${table}`)));
}
