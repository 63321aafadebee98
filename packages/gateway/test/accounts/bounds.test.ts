/*
 * The bounds of an account at a real gateway: each refuses with its code, a token cannot lock its person out, and there is room again
 * when something has ended.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cannotMakeUsers as skip, makeUnixUser } from '@clawdfather/testkit';
import { usualAccountBounds } from '../../src/accounts/account-bounds.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { TestSocket } from '../socket/fixtures.ts';

const agentPolicy = { security: 'full', ask: 'off' } as const;

async function tokenOf(rig: TestGateway): Promise<string> {
  const me = callerOf(rig.url, rig.owner.token);
  const made = await me.post('/api/v1/auth/tokens', { label: 'agent', scopes: ['read', 'run'] });
  return made.body.token;
}

async function socketOf(rig: TestGateway, runId: string, token: string): Promise<TestSocket> {
  const socket = await new TestSocket(`${rig.url}/ws/runs/${runId}`).opened();
  return socket.send({ type: 'auth', token });
}

test('sockets: a token cannot take those of its person, and a closed one makes room', async () => {
  const bounds = { ...usualAccountBounds, socketsMax: 2 };
  await using rig = await openTestGateway({ config: { bounds }, runs: { agentPolicy } });
  const token = await tokenOf(rig);
  const runId = await callerOf(rig.url, rig.owner.token).start({ argv: ['sleep', '600'] });
  await using first = await socketOf(rig, runId, token);
  await first.next('run');
  await using second = await socketOf(rig, runId, token);
  assert.equal((await second.next('error')).code, 'rate_limited');
  await using person = await socketOf(rig, runId, rig.owner.token);
  await person.next('run');
  await using third = await socketOf(rig, runId, rig.owner.token);
  assert.equal((await third.next('error')).code, 'rate_limited');
  first.ws.close();
  await first.closed;
  await using again = await socketOf(rig, runId, token);
  await again.next('run');
});

test('streams, waits and starts that are waited for share their places', async () => {
  const bounds = { ...usualAccountBounds, streamsMax: 3 };
  await using rig = await openTestGateway({ config: { bounds }, runs: { agentPolicy } });
  const me = callerOf(rig.url, rig.owner.token);
  const agent = callerOf(rig.url, await tokenOf(rig));
  const runId = await agent.start({ command: 'read _' });
  const path = `/api/v1/runs/${runId}`;
  const stream = await agent.events(`${path}/output`);
  const waits = agent.get(`${path}/wait?timeoutMs=50000`);
  // Until both are there, one more is taken and over at once.
  let refused = await agent.get(`${path}/wait?timeoutMs=1`);
  while (refused.status !== 429) refused = await agent.get(`${path}/wait?timeoutMs=1`);
  assert.equal(refused.body.error.code, 'rate_limited');
  assert.equal(refused.body.error.hint, 'Close one, or wait until one has closed.');
  const started = await agent.post('/api/v1/runs', { command: 'true', yieldMs: 1_000 });
  assert.equal(started.status, 429, 'a start that is waited for takes one');
  const person = await me.post('/api/v1/runs', { command: 'true', yieldMs: 20_000 });
  assert.equal(person.body.status, 'completed', 'and its person has one left');
  assert.equal((await agent.post('/api/v1/runs', { command: 'true' })).status, 201);
  await stream[Symbol.asyncDispose]();
  await agent.post(`${path}/input`, { data: '\n' });
  assert.equal((await waits).status, 200);
  await agent.untilEnded(runId);
});

test('runs: a token cannot take those of its person', async () => {
  const bounds = { ...usualAccountBounds, liveRunsMax: 2 };
  await using rig = await openTestGateway({ config: { bounds }, runs: { agentPolicy } });
  const me = callerOf(rig.url, rig.owner.token);
  const agent = callerOf(rig.url, await tokenOf(rig));
  await agent.start({ argv: ['sleep', '600'] });
  const second = await agent.post('/api/v1/runs', { argv: ['sleep', '600'] });
  assert.deepEqual([second.status, second.body.error.code], [409, 'run_limit_reached']);
  await me.start({ argv: ['sleep', '600'] });
});

test('a member’s run stands back, keeps a share of its account’s output, and no more', {
  skip,
}, async () => {
  await using user = await makeUnixUser();
  const members = { journalBytesMax: 4_000_000, outputBytesPerSecond: 1_000_000, nice: 11 };
  const bounds = { ...usualAccountBounds, liveRunsMax: 4, members };
  await using rig = await openTestGateway({ config: { bounds }, otherRunsAs: user });
  const member = callerOf(rig.url, rig.other.token);
  const runId = await member.start({ argv: ['sleep', '600'], nice: 3 });
  const { body } = await member.get(`/api/v1/runs/${runId}`);
  assert.equal(body.labels.journalMax, '500000');
  const stat = readFileSync(`/proc/${body.pid}/stat`, 'utf8');
  assert.equal(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16], '11', 'never less than that');
  const ask = (journalBytesMax: number) =>
    member.post('/api/v1/runs', { argv: ['sleep', '600'], journalBytesMax });
  const refused = await ask(1_600_000);
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'journal_limit_reached']);
  assert.equal(refused.body.error.detail.left, 1_500_000);
  assert.equal((await ask(1_500_000)).status, 201);
  assert.equal((await ask(100_000)).status, 409);
  const owner = await callerOf(rig.url, rig.owner.token).start({ argv: ['sleep', '600'] });
  const record = await callerOf(rig.url, rig.owner.token).get(`/api/v1/runs/${owner}`);
  assert.equal(record.body.labels.journalMax, undefined, 'the owner is not bounded');
  await member.post(`/api/v1/runs/${runId}/cancel`, { graceMs: 0 });
  assert.equal((await ask(100_000)).status, 201, 'there is room again');
});
