/*
 * Aborting an exec: at every stage it ends what was begun for the caller and nothing else, and says who asked.
 */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allowAll, isAlive, openToolsRig, type ToolsRig } from '../support/tools-rig.ts';

const reason = new Error('the caller has gone');

async function assertCancelled(rig: ToolsRig): Promise<void> {
  await rig.until(
    () => rig.supervisor.list().every(({ treeEndedAtMs }) => treeEndedAtMs !== undefined),
    'the run goes on',
  );
  const [record] = rig.supervisor.list();
  assert.deepEqual([record?.exit?.reason, record?.exit?.actor], ['manual-cancel', 'mcp:someone']);
}

test('aborted before: nothing is started', async (t) => {
  const rig = await openToolsRig(t);
  await assert.rejects(
    rig.exec({ command: 'echo hello' }, { signal: AbortSignal.abort(reason) }),
    reason,
  );
  assert.deepEqual(rig.supervisor.list(), []);
});

test('aborted while the policy is asked: nothing is started', async (t) => {
  const aborter = new AbortController();
  const rig = await openToolsRig(t, {
    gatekeeper: {
      ...allowAll,
      check: async (proposal) => {
        aborter.abort(reason);
        return allowAll.check(proposal);
      },
    },
  });
  await assert.rejects(rig.exec({ command: 'echo hello' }, { signal: aborter.signal }), reason);
  assert.deepEqual(rig.supervisor.list(), []);
});

test('aborted while it is being started: it ends as soon as it has, or never starts', async (t) => {
  const rig = await openToolsRig(t);
  const aborter = new AbortController();
  const result = rig.exec(
    { command: 'sleep 300' },
    { signal: aborter.signal, requester: 'mcp:someone' },
  );
  await rig.until(() => rig.supervisor.list().length === 1, 'it was not recorded');
  aborter.abort(reason);
  await assert.rejects(result, reason);
  await assertCancelled(rig);
});

test('aborted while it is waited for: the whole tree ends, and the record says who asked', async (t) => {
  const rig = await openToolsRig(t);
  const aborter = new AbortController();
  const file = join(rig.scratchDir, 'started');
  const result = rig.exec(
    { command: `sleep 300 & touch ${file}; sleep 300` },
    { signal: aborter.signal, requester: 'mcp:someone' },
  );
  await rig.until(() => existsSync(file), 'it did not start');
  aborter.abort(reason);
  await assert.rejects(result, reason);
  await assertCancelled(rig);
});

test('aborted after it went to the background: it goes on', async (t) => {
  const rig = await openToolsRig(t);
  const gate = join(rig.scratchDir, 'gate');
  const command = `until [ -e ${gate} ]; do sleep 0.01; done; echo finished`;
  for (const how of [{ yieldMs: 10 }, { background: true }]) {
    const aborter = new AbortController();
    const result = await rig.exec({ command, ...how }, { signal: aborter.signal });
    assert.equal(result.status, 'running');
    aborter.abort(reason);
    const polled = await rig.process<'poll'>({ action: 'poll', runId: result.runId, waitMs: 100 });
    assert.equal(polled.status, 'running');
  }
  writeFileSync(gate, '');
  for (const { runId } of rig.supervisor.list()) {
    const end = await rig.untilEnded(runId);
    assert.deepEqual([end.status, end.output], ['completed', 'finished\n']);
  }
});

test('closing the tools ends nothing; whoever waits is told', async (t) => {
  const rig = await openToolsRig(t);
  const file = join(rig.scratchDir, 'started');
  const waiting = rig.exec({ command: `touch ${file}; sleep 300` });
  await rig.until(() => existsSync(file), 'it did not start');
  await Promise.all([assert.rejects(waiting, { code: 'tools-closed' }), rig.tools.close()]);
  await assert.rejects(rig.exec({ command: 'true' }), { code: 'tools-closed' });
  const [record] = rig.supervisor.list();
  assert.ok(record?.pid !== undefined && isAlive(record.pid));
  await rig.restart();
  await rig.process({ action: 'kill', runId: record.runId });
});
