/*
 * Ending a run when nothing can be written down: the run ends all the same, and the log says so.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';

test('a database that takes no entry keeps nobody from ending a run', async () => {
  const lines: Line[] = [];
  await using rig = await openTestGateway({ deps: { log: recordingLog(lines) } });
  const me = callerOf(rig.url, rig.owner.token);
  const signalled = await me.start({ command: 'sleep 600' });
  const cancelled = await me.start({ command: 'sleep 600' });
  const { database } = rig.config;
  assert.ok(database.kind === 'sqlite');
  // Like a full disk: whoever looks is answered, and an entry is not taken.
  using writer = new DatabaseSync(database.path);
  writer.exec(
    "CREATE TRIGGER full BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'no room'); END",
  );
  const [cancel, signal] = await Promise.all([
    me.post(`/api/v1/runs/${cancelled}/cancel`, { graceMs: 0 }),
    me.post(`/api/v1/runs/${signalled}/signal`, { signal: 'KILL' }),
  ]);
  assert.equal(cancel.status, 200);
  assert.equal(cancel.body.isGone, true);
  assert.equal(signal.status, 200);
  const names = lines.filter(([, name]) => name === 'run.ending-unrecorded');
  assert.deepEqual(
    names.map(([, , { runId, action }]) => `${String(action)} ${String(runId)}`).toSorted(),
    [`run.cancel ${cancelled}`, `run.signal ${signalled}`],
  );
  writer.exec('DROP TRIGGER full');
});
