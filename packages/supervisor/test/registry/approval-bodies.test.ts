/*
 * What a caller chooses the size of: kept apart from what lists read, and dropped when it can start nothing any more.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import type { Statements } from '@clawdfather/sqlite';
import { createSeededRandom, largestRequest2, writeRegistry2 } from '@clawdfather/testkit';
import type { ApprovalMoment, NewApproval } from '../../src/registry/approvals.ts';
import { openRegistry, type Registry } from '../../src/registry/registry.ts';
import { openStateDir } from '../../src/registry/state-dir.ts';
import { createApprovalWrites } from '../../src/registry/approval-writes.ts';
import { newRunOf } from '../records.ts';
import { openRig, tempDir } from './registry-rig.ts';
import { migrate, migrations } from '../../src/registry/migrate.ts';

const now: ApprovalMoment = { bootId: 'boot', bootMs: 1, wallMs: 1 };
const body = { action: 'a'.repeat(1_000), request: 'b', searchPath: 'c' };

function approvalOf(name: string, parts: Partial<NewApproval> = {}): NewApproval {
  return {
    approvalId: name,
    runId: `run-${name}`,
    actionHash: 'hash',
    account: 'local',
    host: 'local',
    cwd: '/tmp',
    command: '{}',
    labels: {},
    body,
    requester: 'mcp:test',
    requesterMarks: '[]',
    why: 'because',
    bootId: 'boot',
    lapsesBootMs: 1_000,
    createdAtMs: 1,
    expiresAtMs: 2,
    ...parts,
  };
}

test('a body goes with the end of its approval, whatever that is, and its size stays', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  await registry.write((tx) => {
    for (const name of ['pending', 'allowed', 'denied', 'expired', 'lapsed', 'started']) {
      const lapsesBootMs = name === 'lapsed' ? 0.5 : 1_000;
      tx.insertApproval(approvalOf(name, { lapsesBootMs }));
    }
    tx.changeApproval('allowed', 'pending', { state: 'allowed' });
    tx.changeApproval('started', 'pending', { state: 'allowed' });
    tx.changeApproval('denied', 'pending', { state: 'denied' });
    tx.changeApproval('expired', 'pending', { state: 'expired' });
    tx.settleLapsed(now);
    tx.insertStarting(newRunOf('run-started'), owner);
  });
  for (const { approvalId, bodyBytes } of registry.approvals({ limit: 10 }, now)) {
    const isKept = approvalId === 'pending' || approvalId === 'allowed';
    assert.deepEqual(registry.approvalBody(approvalId), isKept ? body : undefined, approvalId);
    assert.equal(bodyBytes, 1_002);
  }
  assert.equal(registry.approval('lapsed', now)?.state, 'expired');
  assert.deepEqual(registry.waitingApprovals(), { count: 2, bytes: 2_004 });
  assert.deepEqual(registry.waitingApprovals('other'), { count: 0, bytes: 0 });
});

test('pages are cut after state, account and time: nothing hides what waits', async (t) => {
  const { registry } = await openRig(t);
  await registry.write((tx) => {
    tx.insertApproval(approvalOf('oldest'));
    tx.insertApproval(approvalOf('lapsed', { lapsesBootMs: 0.5 }));
    for (let index = 0; index < 1_008; index += 1) {
      tx.insertApproval(approvalOf(`over-${index}`));
      tx.changeApproval(`over-${index}`, 'pending', { state: 'denied' });
    }
    tx.insertApproval(approvalOf('theirs', { account: 'other' }));
  });
  const ids = (
    ...[page]: Parameters<Registry['approvals']> extends [infer Page, unknown] ? [Page] : never
  ) => registry.approvals(page, now).map(({ approvalId }) => approvalId);
  const pending = { states: ['pending'] } as const;
  assert.deepEqual(ids({ ...pending, limit: 1_000 }), ['theirs', 'oldest']);
  assert.deepEqual(ids({ ...pending, limit: 1, offset: 1 }), ['oldest']);
  assert.deepEqual(ids({ ...pending, accounts: ['local'], limit: 20 }), ['oldest']);
  assert.deepEqual(ids({ states: ['expired'], accounts: ['local'], limit: 20 }), ['lapsed']);
  assert.deepEqual(ids({ runIdPrefix: 'run-o', ...pending, accounts: ['local'], limit: 2 }), [
    'oldest',
  ]);
  assert.equal(registry.countApprovals({ states: ['denied'], accounts: ['local'] }, now), 1_008);
  assert.equal(registry.countApprovals({ accounts: ['local'] }, now), 1_010);
});

test('of what is over an account keeps the newest, and others lose nothing by that', async (t) => {
  const { registry } = await openRig(t);
  await registry.write((tx) => {
    for (const account of ['local', 'other']) {
      for (let index = 0; index < 5; index += 1) {
        const name = `${account}-${index}`;
        tx.insertApproval(approvalOf(name, { account }));
        if (index > 0) tx.changeApproval(name, 'pending', { state: 'denied' });
      }
    }
    tx.forgetApprovals({ createdBeforeMs: 0, account: 'local', keptMax: 2 });
  });
  const ids = registry.approvals({ limit: 20, accounts: ['local'] }, now);
  assert.deepEqual(
    ids.map(({ approvalId }) => approvalId),
    ['local-4', 'local-3', 'local-0'],
  );
  assert.equal(registry.countApprovals({ accounts: ['other'] }, now), 5);
});

async function openOld(t: TestContext, write: (file: string) => void): Promise<Registry> {
  const stateDir = await openStateDir(join(await tempDir(t), 'state'));
  write(stateDir.registryFile);
  const registry = await openRegistry({
    stateDir,
    clock: createSystemClock(),
    random: createSeededRandom(1),
    bootId: 'boot',
    bootMs: () => 1,
  });
  t.after(() => registry.close());
  return registry;
}

test('lists, counts, look-ups and the writes of a request go by an account’s own rows, and read no body', async (t) => {
  const { stateDir } = await openRig(t);
  using db = new DatabaseSync(stateDir.registryFile);
  const plans: string[] = [];
  /** Plans what it is asked to do, and does nothing. */
  const explain = (sql: string): void => {
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    plans.push(`${steps.map((row) => String(row['detail'])).join('; ')} <- ${sql}`);
  };
  const statements: Statements = {
    run: (sql) => {
      explain(sql);
      return 0;
    },
    one: (sql) => {
      explain(sql);
      return undefined;
    },
    all: (sql) => {
      explain(sql);
      return [];
    },
  };
  const tx = createApprovalWrites(statements);
  const accounts = ['ann', 'local'];
  for (const states of [['pending', 'allowed'], ['denied'], ['expired'], undefined] as const) {
    const filter = { accounts, ...(states === undefined ? {} : { states }) };
    tx.approvals({ ...filter, limit: 10 }, now);
    tx.countApprovals(filter, now);
    tx.approvals({ ...filter, runIdPrefix: 'a', limit: 2 }, now);
  }
  tx.approval('a', now);
  tx.approvalOfRun('a', now);
  // At a start, of all accounts: only what waits.
  tx.approvals({ states: ['pending', 'allowed'], limit: 10 }, now);
  tx.settleLapsed(now);
  tx.settleLapsed(now, 'ann');
  tx.waitingApprovals('ann');
  tx.waitingApprovals();
  tx.forgetApprovals({ createdBeforeMs: 1, account: 'ann', keptMax: 1 });
  tx.insertApproval(approvalOf('a'));
  assert.ok(plans.length >= 20, `${plans.length}`);
  for (const plan of plans) {
    const steps = plan.slice(0, plan.indexOf(' <- '));
    assert.doesNotMatch(steps, /approval_bodies|SCAN b\b/, plan);
    // What is looked at from end to end is an index of what waits, and holds nothing but accounts and sizes.
    const rest = steps.replaceAll(
      /SCAN (a|approvals) USING (COVERING )?INDEX approvals_waiting/g,
      '',
    );
    assert.doesNotMatch(rest, /SCAN (a|approvals)\b/, plan);
  }
});

test('what tests take for version 2 is version 2', async (t) => {
  const file = join(await tempDir(t), 'registry.db');
  writeRegistry2(file, []);
  const schemaOf = (db: DatabaseSync): unknown =>
    db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
  using copy = new DatabaseSync(file);
  using source = new DatabaseSync(':memory:');
  migrate(source, migrations.slice(0, 2));
  assert.deepEqual(schemaOf(copy), schemaOf(source));
});

test('approvals of version 2 keep what they said, and those that are over lose what was large', async (t) => {
  const line = { kind: 'line', shell: '/bin/sh', line: 'ls' };
  const action = { command: line, cwd: '/srv', envAdditions: {}, host: 'local', account: 'ann' };
  const long = { ...action, command: { ...line, line: 'y'.repeat(9_000) } };
  const argv = { ...action, command: { kind: 'argv', argv: ['cat', 'z'.repeat(9_000)] } };
  const old = [
    { approvalId: 'pending', state: 0, action, request: { labels: { request: 'key' } } },
    { approvalId: 'denied', state: 3, action, request: {} },
    { approvalId: 'long', state: 3, action: long, request: {} },
    { approvalId: 'argv', state: 2, action: argv, request: {} },
  ].map((one) => ({
    ...one,
    action: JSON.stringify(one.action),
    request: JSON.stringify(one.request),
  }));
  const broken = [
    { approvalId: 'no-json', state: 1, action: 'x', request: 'y' },
    { approvalId: 'no-action', state: 3, action: '[]', request: '"z"' },
    { approvalId: 'empty', state: 4, action: '', request: '' },
  ];
  const registry = await openOld(t, (file) => writeRegistry2(file, [...old, ...broken]));
  const pending = registry.approval('pending', now);
  assert.deepEqual(
    [pending?.state, pending?.account, pending?.host, pending?.cwd, pending?.labels],
    ['pending', 'ann', 'local', '/srv', { request: 'key' }],
  );
  assert.deepEqual(JSON.parse(pending?.command ?? ''), line);
  const body2 = { action: old[0]?.action, request: old[0]?.request, searchPath: '/usr/bin' };
  assert.deepEqual(registry.approvalBody('pending'), body2);
  assert.equal(registry.approvalBody('denied'), undefined);
  assert.equal(
    JSON.parse(registry.approval('long', now)?.command ?? '').line,
    `${'y'.repeat(4_095)}…`,
  );
  assert.match(
    registry.approval('argv', now)?.command ?? '',
    /^\{"kind":"argv","argv":\["\[\\"cat/,
  );
  for (const { approvalId } of broken) {
    assert.equal(registry.approval(approvalId, now)?.account, '', approvalId);
  }
  assert.deepEqual(registry.waitingApprovals('ann').count, 1);
});

test('the space of what was dropped is given back after the opening', async (t) => {
  const request = largestRequest2('ann');
  let file = '';
  const registry = await openOld(t, (path) => {
    file = path;
    writeRegistry2(
      path,
      Array.from({ length: 200 }, (_, index) => ({
        approvalId: `a${index}`,
        state: index === 0 ? 0 : 3,
        ...request,
      })),
    );
  });
  await registry.write((tx) => tx.insertApproval(approvalOf('next')));
  await registry.close();
  using db = new DatabaseSync(file, { readOnly: true });
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number };
  assert.ok(pages < 1_000, `${pages} pages`);
});
