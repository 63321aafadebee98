/*
 * Two supervisors that start at the same moment and find a thousand runs of a dead owner (O2, O3).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRig, type Rig } from './rig.ts';
import { isAlive } from './process-table.ts';
import type { OwnerProcess } from './owner-process.ts';

const recordsMax = 1_000;
const realRuns = 40;

/* Copies one record of the dead owner: runs that were recorded and whose start came to nothing. */
function multiplyRecords(rig: Rig): void {
  rig.sql(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${recordsMax})
     INSERT INTO runs (run_id, state, epoch, owner_instance_no, owner_generation, session_id, backend_id, mode,
       command, cwd, lease_id, boot_id, pid_namespace, owner_loss, leftovers, created_at_ms, updated_at_ms)
     SELECT 'record-' || n, 0, 1, owner_instance_no, owner_generation, session_id, backend_id, mode, command, cwd,
       'lease-of-record-' || n, boot_id, pid_namespace, owner_loss, leftovers, created_at_ms, updated_at_ms
     FROM numbers, runs WHERE run_id = 'real-0'`,
  );
}

async function decidedBy(rival: OwnerProcess): Promise<ReadonlyMap<string, string>> {
  const events = await rival.call('events');
  return new Map(
    events.flatMap((event) =>
      event.type === 'reconcile' ? [[event.decision.runId, event.decision.decision] as const] : [],
    ),
  );
}

test('O2: two supervisors racing for 1,000 runs: one takes each, nothing is ended twice', async (t) => {
  const rig = createRig(t);
  const first = await rig.owner();
  const pids = await Promise.all(
    Array.from({ length: realRuns }, async (_, index) => {
      const input = rig.child(['sleep', '300'], { runId: `real-${index}` });
      return (await first.call('spawn', input)).pid;
    }),
  );
  const rivals = [await rig.owner({ isOpened: false }), await rig.owner({ isOpened: false })];
  await first.kill();
  multiplyRecords(rig);
  await Promise.all(rivals.map((rival) => rival.call('open')));

  const taken = new Map<string, string>();
  for (const rival of rivals) {
    for (const [runId, decision] of await decidedBy(rival)) {
      if (decision === 'foreign-healthy') continue;
      assert.equal(taken.has(runId), false, `${runId} was decided twice`);
      taken.set(runId, decision);
    }
  }
  assert.equal(taken.size, recordsMax + realRuns);
  assert.ok(pids.every(isAlive));
  assert.deepEqual(rig.sql('SELECT DISTINCT epoch FROM runs'), [{ __proto__: null, epoch: 2 }]);
  const stale = rig.sql(
    "SELECT count(*) AS count FROM runs WHERE exit_reason = 'reconciled-stale'",
  );
  assert.equal(stale[0]?.['count'], recordsMax);

  const exits = await Promise.all(
    pids.map(async (_, index) => {
      const runId = `real-${index}`;
      await Promise.all(rivals.map((rival) => rival.call('cancel', runId)));
      return rivals[0]?.call('wait', runId);
    }),
  );
  for (const exit of exits) assert.deepEqual(exit?.killed, { pid: 0, pgid: 1, cgroup: 0 });
  const ends = await Promise.all(rivals.map((rival) => rival.call('events')));
  const counted = ends.flat().filter((event) => event.type === 'exit');
  assert.equal(new Set(counted.map(({ runId }) => runId)).size, counted.length, 'each exit once');
});
