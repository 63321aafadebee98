/*
 * Gateways that share a PostgreSQL: of all who try one acts, and one that was frozen does no harm when it wakes up.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { StoreLocation } from '@clawdfather/store';
import { usePostgres } from '@clawdfather/testkit';
import { openCleanupRig } from '../fixtures/open-cleanup-rig.ts';

const minute = 60_000;
const postgres = usePostgres();
const { skip } = postgres;

async function freshDatabase(): Promise<StoreLocation> {
  const { connectionString } = await postgres.server.createDatabase();
  return { kind: 'postgres', connectionString };
}

test('the leases of a lost gateway are each taken once, however many try', { skip }, async () => {
  await using rig = await openCleanupRig(await freshDatabase());
  const lost = await rig.openGateway({ instanceId: 'lost' });
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1) ids.push((await lost.startSession()).id);
  await lost.instance.stop();
  const others = [];
  for (const instanceId of ['one', 'two', 'three']) {
    others.push(await rig.openGateway({ instanceId }));
  }
  await rig.clock.advance(3 * minute);
  await Promise.all(others.map(({ cleanup }) => cleanup.runNow()));
  // Those who lost a race come again.
  await Promise.all(others.map(({ cleanup }) => cleanup.runNow()));
  const taken = others.reduce((sum, { tally }) => sum + tally.adopted, 0);
  assert.equal(taken, ids.length);
  for (const id of ids) {
    const { epoch, status, ownerInstanceId } = await rig.read(id);
    assert.deepEqual([epoch, status], [2, 'active']);
    assert.notEqual(ownerInstanceId, 'lost');
  }
  assert.ok(
    others.every(({ tally }) => tally.reports.every((run) => run.failedSteps.length === 0)),
  );
});

test('a frozen gateway that wakes up after its lease was taken closes nothing', {
  skip,
}, async () => {
  const location = await freshDatabase();
  await using rig = await openCleanupRig(location);
  const { accountId } = rig.account;
  const program = join(import.meta.dirname, '../fixtures/lone-gateway.ts');
  const args = [program, JSON.stringify(location), accountId, String(rig.clock.wallMs())];
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  try {
    const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await said.next()).value);
    const id = await next();
    // And the moments since its start.
    child.stdin.write('pass 35\n');
    assert.equal(await next(), 'decided 1');
    child.kill('SIGSTOP');
    await isStopped(child.pid);

    rig.clock.jumpWall(rig.clock.wallMs() + 40 * minute);
    const taker = await rig.openGateway({ instanceId: 'taker' });
    await rig.account.sessions.clientSeen(id);
    await taker.cleanup.runNow();
    const taken = await rig.read(id);
    assert.deepEqual([taken.status, taken.ownerInstanceId, taken.epoch], ['active', 'taker', 2]);

    child.kill('SIGCONT');
    child.stdin.write('go on\n');
    assert.equal(await next(), 'passed');
    child.stdin.write('close\n');
    assert.equal(await next(), 'epoch_stale');
    assert.deepEqual(await rig.read(id), taken);
    child.stdin.end();
    assert.deepEqual(await gone, [0, null]);
  } finally {
    child.kill('SIGKILL');
    await gone;
  }
});

/* The signal is sent; the kernel stops the process at its next step. */
async function isStopped(pid: number | undefined): Promise<void> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    if (stat.slice(stat.lastIndexOf(')')).startsWith(') T')) return;
    await setImmediate();
  }
}
