/*
 * A state directory that a caller has filled with requests of the largest size: the gateway starts in little memory, and what a
 * list reads does not depend on it.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { largestRequest2, type OldApproval, writeRegistry2 } from '@clawdfather/testkit';
import { callerOf } from '../fixtures/api-caller.ts';
import { type GatewayProcess, startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { makeTemporary } from '../fixtures/temporary.ts';

/* Enough for a gateway that has just started. The requests of these tests are six times as much, before they are parsed. */
const heapMib = 64;
const mebibyte = 1024 * 1024;

/* All that the process has read since its start, from files and sockets, as the kernel counts it. */
function bytesRead({ pid }: GatewayProcess): number {
  return Number(/^rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

async function bytesOfList(gateway: GatewayProcess, path: string): Promise<number> {
  const before = bytesRead(gateway);
  const { status, body } = await gateway.me.get(path);
  assert.equal(status, 200, JSON.stringify(body));
  return bytesRead(gateway) - before;
}

/* As many as version 2 let wait, and 1,008 that are over; 400 MB. */
function* attack(): Iterable<OldApproval> {
  const request = largestRequest2('local');
  const createdAtMs = createSystemClock().wallMs();
  const times = { createdAtMs, expiresAtMs: createdAtMs + 1_800_000 };
  yield { ...request, ...times, approvalId: 'oldest', state: 0 };
  for (let index = 0; index < 1_008; index += 1) {
    yield { ...request, ...times, approvalId: `over-${index}`, state: 3 };
  }
  for (let index = 0; index < 63; index += 1) {
    yield { ...request, ...times, approvalId: `waits-${index}`, state: 0 };
  }
}

test('a registry of version 2 full of large requests opens in little memory, and lists read little', async (t) => {
  await using directory = await makeTemporary();
  await using empty = await makeTemporary();
  const state = join(directory.path, 'state');
  mkdirSync(state, { mode: 0o700 });
  writeRegistry2(join(state, 'registry.db'), attack());
  assert.ok(statSync(join(state, 'registry.db')).size > 300 * mebibyte);

  await using gateway = await startGatewayProcess(directory.path, {}, { heapMib });
  await using other = await startGatewayProcess(empty.path, {}, { heapMib });
  const [full, none] = [
    await bytesOfList(gateway, '/api/v1/runs?limit=100'),
    await bytesOfList(other, '/api/v1/runs?limit=100'),
  ];
  t.diagnostic(`a list of runs read ${full} bytes, and ${none} where nothing was ever asked`);
  assert.ok(full - none < mebibyte, `${full} and ${none}`);
  const { body } = await gateway.me.get('/api/v1/runs?limit=100');
  assert.deepEqual([body.total, body.items.length], [64, 64]);
  assert.equal(body.items.at(-1).approvalId, 'oldest', 'nothing hides it');
  const waiting = await gateway.me.get('/api/v1/approvals?state=pending&limit=1&offset=63');
  assert.deepEqual([waiting.body.total, waiting.body.items[0].id], [64, 'oldest']);
  const over = await bytesOfList(gateway, '/api/v1/approvals?state=denied&limit=100');
  assert.ok(over < 2 * mebibyte, `${over}`);
  const { body: denied } = await gateway.me.get('/api/v1/approvals?state=denied&limit=1');
  const [shown] = denied.items;
  assert.deepEqual([denied.total, shown.state, shown.argv], [1_008, 'denied', ['/bin/sh']]);
  assert.deepEqual(
    [shown.stdin, shown.why],
    [null, 'because'],
    'it is over and was not tampered with',
  );
  assert.ok(shown.droppedBytes > 300_000);
});

test('what is asked for and taken back in a loop leaves short rows, a short log, and others their places', async (t) => {
  await using directory = await makeTemporary();
  await using gateway = await startGatewayProcess(directory.path);
  const made = await gateway.me.post('/api/v1/auth/tokens', {
    label: 'x',
    scopes: ['read', 'run'],
  });
  const agent = callerOf(gateway.url, made.body.token);
  const large = { argv: ['/bin/sh'], stdin: 'x'.repeat(120_000) };
  const ask = async () => (await agent.post('/api/v1/runs', large)).body;
  const before = await bytesOfList(gateway, '/api/v1/runs');
  for (let count = 0; count < 200; count += 1) {
    const { status, runId } = await ask();
    assert.equal(status, 'approval-pending');
    assert.equal((await agent.post(`/api/v1/runs/${runId}/cancel`)).status, 200);
  }
  const after = await bytesOfList(gateway, '/api/v1/runs');
  const logBytes = statSync(join(directory.path, 'state', 'registry.db-wal')).size;
  t.diagnostic(
    `a list of runs read ${before} bytes before and ${after} after; the log has ${logBytes}`,
  );
  assert.ok(after - before < mebibyte, `${before} and ${after}`);
  assert.ok(logBytes < 100 * mebibyte, `${logBytes}`);

  const answers = [];
  for (let count = 0; count < 12; count += 1) answers.push(await ask());
  const refused = answers.filter(({ status }) => status === 'denied');
  assert.ok(refused.length > 0 && refused.length < 12, `${refused.length}`);
  assert.match(refused[0].rule, /more than 4 MiB; put the input into a file/);
  const { body } = await gateway.me.get('/api/v1/runs');
  assert.equal(body.total, 12 - refused.length);
});
