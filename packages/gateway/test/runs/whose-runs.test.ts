/*
 * What was started on this machine without the gateway is seen by whoever runs it, and by nobody else.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSupervisor } from '@clawdfather/supervisor';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

test('the owner sees runs of the command line and of local agents; a token of theirs only the agents’', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const other = callerOf(rig.url, rig.other.token);
  const made = await me.post('/api/v1/auth/tokens', { label: 'agent', scopes: ['read', 'run'] });
  const agent = callerOf(rig.url, made.body.token);
  const outside = await createSupervisor({ stateDir: join(rig.directory, 'state') });
  const spawn = async (backendId: string, labels: Record<string, string>) => {
    const run = await outside.spawn({
      mode: 'child',
      argv: ['/bin/cat'],
      sessionId: 's',
      backendId,
      labels,
      cwd: rig.directory,
      env: {},
      overallTimeoutMs: undefined,
    });
    return run.runId as string;
  };
  const ids = {
    cliRun: await spawn('cli', {}),
    cliExec: await spawn('exec', { account: 'cli' }),
    local: await spawn('exec', { account: 'local' }),
    // Of a part of the gateway that is no tool: nobody's to see.
    agentProcess: await spawn('acp', { account: rig.owner.accountId }),
    // A label is only a label: it does not make a run of the command line another account's.
    pretender: await spawn('cli', { account: rig.other.accountId }),
  };
  const listOf = async (caller: typeof me) =>
    (await caller.get('/api/v1/runs')).body.items.map((run: { runId: string }) => run.runId);
  assert.deepEqual(await listOf(me), [ids.pretender, ids.local, ids.cliExec, ids.cliRun]);
  assert.deepEqual(await listOf(agent), [ids.local]);
  assert.deepEqual(await listOf(other), []);
  for (const [caller, seen] of [
    [me, [ids.cliRun, ids.cliExec, ids.local, ids.pretender]],
    [agent, [ids.local]],
    [other, []],
  ] as const) {
    for (const id of Object.values(ids)) {
      const { status } = await caller.get(`/api/v1/runs/${id}`);
      assert.equal(status, (seen as readonly string[]).includes(id) ? 200 : 404);
    }
  }
  // Somebody else owns them, and all of it works: input at an offset, output, the end.
  const path = `/api/v1/runs/${ids.cliRun}`;
  const typed = await me.post(`${path}/input`, { offset: 0, data: 'hello\n' });
  assert.deepEqual([typed.status, typed.body.inputOffset], [200, 6]);
  await using events = await me.events(`${path}/output`);
  assert.equal(await events.untilSaid('hello\n'), 'hello\n');
  for (const id of Object.values(ids)) {
    await me.delete(`/api/v1/runs/${id}?force=true`);
    await outside.cancel(id as never);
  }
  assert.deepEqual(await listOf(me), []);
  await outside.close();
});
