/*
 * One key, one run: whoever lost the answer asks again (S1).
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cannotMakeUsers as skip, makeUnixUser } from '@clawdfather/testkit';
import { callerOf } from '../fixtures/api-caller.ts';
import { makeTemporary } from '../fixtures/temporary.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';

test('the same key at once and again is one run; another request under it is refused', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const params = { command: 'cat; echo ran >>ran', stdin: 'in\n', eof: true, yieldMs: 10_000 };
  const ask = (body: object = params) =>
    me.post('/api/v1/runs', body, { 'idempotency-key': 'key-1' });
  const both = await Promise.all([ask(), ask()]);
  const again = await ask({ yieldMs: 10_000, eof: true, stdin: 'in\n', command: params.command });
  const ids = new Set([...both, again].map(({ body }) => body.runId));
  assert.equal(ids.size, 1);
  for (const { status, body } of [...both, again]) {
    assert.deepEqual([status, body.status, body.output], [201, 'completed', 'in\n']);
  }
  assert.equal(readFileSync(join(rig.directory, 'ran'), 'utf8'), 'ran\n');
  assert.equal((await me.get('/api/v1/runs')).body.total, 1);
  const { body: audit } = await me.get('/api/v1/audit?action=run.start');
  assert.equal(audit.entries.length, 1);

  const reused = await ask({ command: 'echo another' });
  assert.deepEqual([reused.status, reused.body.error.code], [409, 'key_reused']);
  const [runId = ''] = ids;
  await me.delete(`/api/v1/runs/${runId}`);
  assert.equal((await ask()).body.error.code, 'key_reused');
  const bad = await me.post('/api/v1/runs', params, { 'idempotency-key': 'a b' });
  assert.deepEqual([bad.status, bad.body.error.code], [400, 'validation_error']);
});

test('an idempotency key is an account’s own', { skip }, async () => {
  await using user = await makeUnixUser();
  await using rig = await openTestGateway({ otherRunsAs: user });
  const ask = (token: string) =>
    callerOf(rig.url, token).post('/api/v1/runs', { command: 'true' }, { 'idempotency-key': 'k' });
  const [mine, theirs] = [await ask(rig.owner.token), await ask(rig.other.token)];
  assert.deepEqual([mine.status, theirs.status], [201, 201]);
  assert.notEqual(theirs.body.runId, mine.body.runId);
});

test('S1: a gateway killed between the start and the answer has started one run', async () => {
  await using directory = await makeTemporary();
  const marker = join(directory.path, 'started');
  const command = `echo x >>${marker}; read line; echo "got $line"`;
  const params = { command, yieldMs: 25_000 };
  const headers = { 'idempotency-key': 'after-the-crash' };
  {
    await using gateway = await startGatewayProcess(directory.path);
    const made = untilExists(directory.path, marker);
    const lost = gateway.me.post('/api/v1/runs', params, headers).then(
      () => 'answered',
      () => 'lost',
    );
    await made;
    await gateway.end('SIGKILL');
    assert.equal(await lost, 'lost');
  }
  await using gateway = await startGatewayProcess(directory.path);
  const again = gateway.me.post('/api/v1/runs', params, headers);
  const { body: list } = await gateway.me.get('/api/v1/runs');
  assert.equal(list.total, 1);
  const { runId } = list.items[0];
  await gateway.me.post(`/api/v1/runs/${runId}/input`, { data: 'it\n', offset: 0 });
  const { status, body } = await again;
  assert.equal(status, 201);
  assert.deepEqual([body.runId, body.status, body.output], [runId, 'completed', 'got it\n']);
  assert.equal(readFileSync(marker, 'utf8'), 'x\n', 'it ran once');
});

async function untilExists(directory: string, path: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(directory, () => existsSync(path) && resolve());
  if (existsSync(path)) resolve();
  await promise;
  watcher.close();
}
