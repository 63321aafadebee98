/*
 * Ending a run when nothing can be written down: the run ends all the same, and the log says so.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';

test('a database that takes no entry keeps nobody from ending a run', async () => {
  const lines: Line[] = [];
  await using rig = await openTestGateway({ deps: { log: recordingLog(lines) } });
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await rig.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };
  const signalled = (await post('/api/v1/runs', { command: 'sleep 600' })).body.runId;
  const cancelled = (await post('/api/v1/runs', { command: 'sleep 600' })).body.runId;
  const { database } = rig.config;
  assert.ok(database.kind === 'sqlite');
  // Like a full disk: whoever looks is answered, and an entry is not taken.
  using writer = new DatabaseSync(database.path);
  writer.exec(
    "CREATE TRIGGER full BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'no room'); END",
  );
  const [cancel, signal] = await Promise.all([
    post(`/api/v1/runs/${cancelled}/cancel`, { graceMs: 0 }),
    post(`/api/v1/runs/${signalled}/signal`, { signal: 'KILL' }),
  ]);
  assert.equal(cancel.status, 200);
  assert.equal(cancel.body.isGone, true);
  assert.equal(signal.status, 200);
  const names = lines.filter(([, name]) => name === 'run.ending-unrecorded');
  assert.deepEqual(
    names.map(([, , { runId, action }]) => [runId, action]).toSorted(),
    [
      [cancelled, 'run.cancel'],
      [signalled, 'run.signal'],
    ].toSorted(),
  );
  writer.exec('DROP TRIGGER full');
});
