/*
 * Ending a run when nothing can be written down: the run ends all the same, over HTTP and over MCP, and the log says so.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';
import { openMcpRig } from '../mcp/rig.ts';

/* Like a full disk: whoever looks is answered, and an entry is not taken. */
function fillAuditLog({ config: { database } }: TestGateway): Disposable {
  assert.ok(database.kind === 'sqlite');
  const writer = new DatabaseSync(database.path);
  writer.exec(
    "CREATE TRIGGER full BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'no room'); END",
  );
  return {
    [Symbol.dispose]: () => {
      writer.exec('DROP TRIGGER full');
      writer.close();
    },
  };
}

test('a database that takes no entry keeps nobody from ending a run over HTTP', async () => {
  const lines: Line[] = [];
  await using rig = await openTestGateway({ deps: { log: recordingLog(lines) } });
  const me = callerOf(rig.url, rig.owner.token);
  const signalled = await me.start({ command: 'sleep 600' });
  const cancelled = await me.start({ command: 'sleep 600' });
  using _full = fillAuditLog(rig);
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
});

test('T3: a signal is on record with its name and its sender, in the log and at the run', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const id = await me.start({ command: 'exec sleep 600' });
  await me.post(`/api/v1/runs/${id}/signal`, { signal: 'kill' });
  const { body: run } = await me.get(`/api/v1/runs/${id}/wait`);
  const { body } = await me.get('/api/v1/audit?limit=1&action=run.signal');
  const [entry] = body.entries as { target: string; actor: string; detail: { signal?: string } }[];
  assert.deepEqual([entry?.target, entry?.detail.signal], [id, 'SIGKILL']);
  const { reason, signal, actor } = run.exit as Record<string, unknown>;
  assert.deepEqual([reason, signal, actor], ['signal', 'SIGKILL', entry?.actor]);
  assert.deepEqual([run.lastOutputAt, run.graceMs], [null, 5_000]);
  assert.deepEqual(run.names, { [String(actor)]: 'test' }, 'a person is told what it is called');
});

test('nor over MCP; what is to start is not started', async () => {
  const lines: Line[] = [];
  await using rig = await openMcpRig({ deps: { log: recordingLog(lines) } });
  const { token } = await rig.makeToken();
  await using agent = await rig.connect({ token });
  const start = async (): Promise<string> => {
    const { data } = await agent.call('exec', { command: 'sleep 600', background: true });
    return String(data['runId']);
  };
  const [killed, signalled, removed, ended] = [
    await start(),
    await start(),
    await start(),
    await start(),
  ];
  await agent.call('process', { action: 'kill', runId: ended, graceMs: 0 });
  using _full = fillAuditLog(rig.gateway);
  for (const params of [
    { action: 'kill', runId: killed, graceMs: 0 },
    { action: 'signal', runId: signalled, signal: 'KILL' },
    { action: 'remove', runId: removed },
    { action: 'clear', runId: ended },
  ]) {
    const answer = await agent.call('process', params);
    assert.equal(answer.isError, false, `${params.action}: ${answer.text}`);
  }
  assert.notEqual((await rig.look(killed)).exit, null);
  const names = lines.filter(([, name]) => name === 'run.ending-unrecorded');
  assert.deepEqual(
    names.map(([, , { runId, action }]) => `${String(action)} ${String(runId)}`),
    [
      `run.cancel ${killed}`,
      `run.signal ${signalled}`,
      `run.remove ${removed}`,
      `run.remove ${ended}`,
    ],
  );
  const refused = await agent.call('exec', { command: 'touch never' });
  assert.equal(refused.isError, true);
  assert.equal(existsSync(join(rig.gateway.directory, 'never')), false);
});
