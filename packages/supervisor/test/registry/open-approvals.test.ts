/*
 * Hearing of what other processes write: by the kernel's watch, or by looking where there is none.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { openApprovals, type ApprovalStoreDeps } from '../../src/registry/open-approvals.ts';
import { tempDir } from './registry-rig.ts';

const approval = {
  approvalId: 'approval-1',
  runId: 'run-1',
  actionHash: '',
  account: '',
  host: '',
  cwd: '',
  command: '',
  labels: {},
  body: { action: '', request: '', searchPath: '' },
  requester: '',
  requesterMarks: '[]',
  why: '',
  bootId: '',
  lapsesBootMs: 0,
  createdAtMs: 0,
  expiresAtMs: 0,
};

async function open(t: TestContext, parts: Omit<ApprovalStoreDeps, 'stateDir'> = {}) {
  const stateDir = join(await tempDir(t), 'state');
  const store = await openApprovals({ stateDir, ...parts });
  t.after(() => store.close());
  return { stateDir, store };
}

test('a commit of another connection is heard of, and after stopping none is', async (t) => {
  const { stateDir, store } = await open(t);
  const other = await openApprovals({ stateDir });
  t.after(() => other.close());
  const { promise, resolve } = Promise.withResolvers<void>();
  let changes = 0;
  const stop = store.watch(() => {
    changes += 1;
    resolve();
  });
  await other.write((tx) => tx.insertApproval(approval));
  await promise;
  assert.equal(
    store.approval('approval-1', { bootId: '', bootMs: 0, wallMs: 0 })?.state,
    'pending',
  );
  stop();
  const heard = changes;
  await other.write((tx) => tx.changeApproval('approval-1', 'pending', { state: 'denied' }));
  assert.equal(changes, heard);
});

test('many commits in a short time are one look', async (t) => {
  const clock = createFakeClock();
  const events: (() => void)[] = [];
  const { store } = await open(t, {
    clock,
    watchDirectory: (_path, onEvent) => {
      events.push(() => onEvent('change', 'registry.db-wal'));
      events.push(() => onEvent('change', 'instance.json'));
      return { close: () => undefined, on: () => undefined };
    },
  });
  let looks = 0;
  const stop = store.watch(() => (looks += 1));
  const [logged, unrelated] = events;
  for (let count = 0; count < 100; count += 1) logged?.();
  assert.equal(looks, 0);
  await clock.advance(50);
  assert.equal(looks, 1);
  unrelated?.();
  await clock.advance(1_000);
  assert.equal(looks, 1);
  stop();
});

test('without a watch it looks every second, until it is stopped', async (t) => {
  const clock = createFakeClock();
  const { store } = await open(t, {
    clock,
    watchDirectory: () => {
      throw Object.assign(new Error('no watch left'), { code: 'ENOSPC' });
    },
  });
  let looks = 0;
  const stop = store.watch(() => (looks += 1));
  for (let second = 0; second < 3; second += 1) await clock.advance(1_000);
  assert.equal(looks, 3);
  stop();
  await clock.advance(10_000);
  assert.equal(looks, 3);
});

test('a watch that fails later is replaced by looking', async (t) => {
  const clock = createFakeClock();
  const failures: (() => void)[] = [];
  const { store } = await open(t, {
    clock,
    watchDirectory: () => ({
      close: () => undefined,
      on: (_name, listener) => failures.push(listener),
    }),
  });
  let looks = 0;
  const stop = store.watch(() => (looks += 1));
  for (const fail of failures) fail();
  await clock.advance(1_000);
  assert.equal(looks, 1);
  stop();
});
