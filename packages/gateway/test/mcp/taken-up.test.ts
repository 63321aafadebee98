/*
 * MCP sessions outlive the gateway: the next call after a restart is answered as if nothing had happened, for the token that
 * began the session and for no other.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEnding } from '@clawdfather/testkit';
import { clientsPerAccountMax } from '../../src/mcp/limits.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { type GatewayProcess, startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { makeTemporary } from '../fixtures/temporary.ts';
import {
  beginRaw,
  callRaw,
  deleteRaw,
  listenRaw,
  pingRaw,
  type RawClient,
  sendRaw,
} from './raw-session.ts';
import { type ApiToken, connect, handshakeRevisions, openMcpRig } from './rig.ts';

const config = { runs: { agentPolicy: { security: 'full', ask: 'off' } } } as const;

function start(directory: string): Promise<GatewayProcess> {
  return startGatewayProcess(directory, config);
}

async function makeToken({ url, token }: GatewayProcess, label = 'agent'): Promise<ApiToken> {
  const ask = createAsk({ url, owner: { token } });
  const body = { label, scopes: ['read', 'run'] };
  return (await ask('POST', 'auth/tokens', { body })).body;
}

interface Ended {
  readonly runId: string;
  readonly code?: number;
}

function endedOf(data: { readonly ended?: readonly Ended[] }): readonly unknown[] {
  return (data.ended ?? []).map(({ runId, code }) => [runId, code]);
}

/* Writes are done in order, and the handshake waits for its own: all before it are on disk. */
async function untilWritten(client: RawClient): Promise<void> {
  await beginRaw({ url: client.url, token: client.token });
}

test('a raw client goes on after kill -9, and hears of what ended meanwhile', async () => {
  await using place = await makeTemporary();
  const before = await start(place.path);
  const { token, id } = await makeToken(before);
  const first = await beginRaw({ url: before.url, token });
  const [known, meanwhile, later] = [4, 5, 6].map((code) => createEnding(place.path, code));
  const ids: string[] = [];
  for (const ending of [known, meanwhile, later]) {
    const { runId } = await callRaw(first, 'exec', { command: ending?.command, background: true });
    ids.push(runId);
  }
  // The gateway knows of this end, and no answer has told it yet.
  known?.letGo();
  await before.me.get(`runs/${ids[0]}/wait?timeoutMs=30000`);
  await untilWritten(first);
  await before.end('SIGKILL');
  meanwhile?.letGo();

  await using after = await start(place.path);
  await after.me.get(`runs/${ids[1]}/wait?timeoutMs=30000`);
  const same = { ...first, url: after.url };
  const { status, message } = await sendRaw(same, { jsonrpc: '2.0', id: 2, method: 'tools/list' });
  assert.equal(status, 200);
  assert.equal(message.result.tools.length, 2);
  const next = await callRaw(same, 'exec', { command: 'true' });
  assert.equal(next.status, 'completed');
  assert.deepEqual(endedOf(next), [
    [ids[0], 4],
    [ids[1], 5],
  ]);
  const run = await after.me.get(`runs/${next.runId}`);
  assert.equal(run.body.requester, `mcp:bare token:${id}`, 'it is known who asks');
  later?.letGo();
  await after.me.get(`runs/${ids[2]}/wait?timeoutMs=30000`);
  assert.deepEqual(endedOf(await callRaw(same, 'exec', { command: 'true' })), [[ids[2], 6]]);
  assert.deepEqual(endedOf(await callRaw(same, 'exec', { command: 'true' })), [], 'each once');
});

for (const revision of handshakeRevisions) {
  test(`${revision}: the protocol's own client goes on after kill -9`, async () => {
    await using place = await makeTemporary();
    const before = await start(place.path);
    const { token } = await makeToken(before);
    const { href } = new URL('/mcp', before.url);
    // The client keeps its address; the gateway has another port after the restart.
    let { url: now } = before;
    const moved = (url: string | URL, init?: RequestInit) =>
      fetch(String(url).replace(href, `${now}/mcp`), init);
    await using agent = await connect({ url: href, token, revision, fetch: moved as typeof fetch });
    const { sessionId } = agent.transport;
    await before.end('SIGKILL');
    await using after = await start(place.path);
    now = after.url;
    const ending = createEnding(place.path, 1);
    const { data } = await agent.call('exec', { command: ending.command, background: true });
    ending.letGo();
    const runId = String(data['runId']);
    await after.me.get(`runs/${runId}/wait?timeoutMs=30000`);
    const next = await agent.call('exec', { command: 'true' });
    assert.deepEqual(endedOf(next.data), [[runId, 1]]);
    assert.equal(agent.transport.sessionId, sessionId);
  });
}

test('the log level that a client asked for holds after a restart', async () => {
  await using place = await makeTemporary();
  const before = await start(place.path);
  const { token } = await makeToken(before);
  const first = await beginRaw({ url: before.url, token });
  const setLevel = (client: RawClient, level: string) =>
    sendRaw(client, { jsonrpc: '2.0', id: 3, method: 'logging/setLevel', params: { level } });
  await setLevel(first, 'error');
  await untilWritten(first);
  await before.end('SIGKILL');

  await using after = await start(place.path);
  const same = { ...first, url: after.url };
  await using stream = await listenRaw(same);
  const [quiet, loud] = [createEnding(place.path, 1), createEnding(place.path, 2)];
  const begin = async (command: string): Promise<string> =>
    (await callRaw(same, 'exec', { command, background: true })).runId;
  const quietId = await begin(quiet.command);
  quiet.letGo();
  await after.me.get(`runs/${quietId}/wait?timeoutMs=30000`);
  assert.deepEqual(endedOf(await callRaw(same, 'exec', { command: 'true' })), [[quietId, 1]]);
  await setLevel(same, 'debug');
  const loudId = await begin(loud.command);
  loud.letGo();
  const heard = await stream.until(loudId);
  assert.ok(!heard.includes(quietId), 'a failure is a warning, and only errors were wanted');
});

test('requests that come at once share the session that is taken up', async () => {
  await using place = await makeTemporary();
  const before = await start(place.path);
  const { token } = await makeToken(before);
  const first = await beginRaw({ url: before.url, token });
  await before.end('SIGKILL');
  await using after = await start(place.path);
  const same = { ...first, url: after.url };
  const statuses = await Promise.all(Array.from({ length: 10 }, () => pingRaw(same)));
  assert.deepEqual(new Set(statuses), new Set([200]));
});

test('only the token that began a session takes it up, and only while it is good', async () => {
  await using place = await makeTemporary();
  const before = await start(place.path);
  const [own, other] = [await makeToken(before), await makeToken(before, 'other')];
  const first = await beginRaw({ url: before.url, token: own.token });
  const deleted = await beginRaw({ url: before.url, token: own.token });
  assert.equal((await deleteRaw(deleted)).status, 200);
  assert.equal(await pingRaw(deleted), 404);
  await before.end('SIGKILL');

  await using elsewhere = await makeTemporary();
  await using stranger = await start(elsewhere.path);
  const strange = await makeToken(stranger);
  const there = { ...first, url: stranger.url, token: strange.token };
  assert.equal(await pingRaw(there), 404, 'another gateway has its own sessions');

  await using after = await start(place.path);
  const same = { ...first, url: after.url };
  const { session } = first;
  const flipped = `${session.slice(0, -1)}${session.endsWith('A') ? 'B' : 'A'}`;
  for (const forged of [flipped, session.slice(1), `${session}A`, session.toUpperCase(), 'x']) {
    assert.equal(await pingRaw({ ...same, session: forged }), 404, forged);
  }
  assert.equal(await pingRaw({ ...same, token: other.token }), 404, 'of another token');
  assert.equal((await deleteRaw({ ...same, token: other.token })).status, 404);
  assert.equal(await pingRaw({ ...deleted, url: after.url }), 404, 'it was ended for good');
  assert.equal(await pingRaw(same), 200);
  assert.equal(await pingRaw({ ...same, token: other.token }), 404, 'also while it is in use');

  const ask = createAsk({ url: after.url, owner: { token: after.token } });
  await ask('DELETE', `auth/tokens/${own.id}`);
  assert.equal(await pingRaw(same), 401);
  assert.equal(await pingRaw({ ...same, token: other.token }), 404);
});

test('a session that only the database knows can be ended', async () => {
  await using place = await makeTemporary();
  const before = await start(place.path);
  const { token } = await makeToken(before);
  const first = await beginRaw({ url: before.url, token });
  await before.end('SIGTERM');
  await using after = await start(place.path);
  const same = { ...first, url: after.url };
  assert.equal((await deleteRaw(same)).status, 200);
  assert.equal(await pingRaw(same), 404);
});

test('a session that was pushed out of memory is taken up when its client comes back', async () => {
  await using rig = await openMcpRig();
  const { token } = await rig.makeToken();
  const client = { url: rig.gateway.url, token };
  const first = await beginRaw(client);
  const ending = rig.createEnding(7);
  const { runId } = await callRaw(first, 'exec', { command: ending.command, background: true });
  for (let number = 0; number < clientsPerAccountMax; number += 1) await beginRaw(client);
  ending.letGo();
  await createAsk(rig.gateway)('GET', `runs/${runId}/wait?timeoutMs=30000`);
  assert.deepEqual(endedOf(await callRaw(first, 'exec', { command: 'true' })), [[runId, 7]]);
});
