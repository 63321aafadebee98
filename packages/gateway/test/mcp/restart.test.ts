/*
 * A gateway that is killed in the middle: sessions, runs and cursors are what they were.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hearMessages } from '@clawdfather/testkit';
import { makeTemporary } from '../fixtures/temporary.ts';
import { type GatewayProcess, startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { type Agent, connect, modernRevision } from './rig.ts';

const openPolicy = { agentPolicy: { security: 'full', ask: 'off' } } as const;

async function makeToken({ url, token }: GatewayProcess): Promise<string> {
  const ask = createAsk({ url, owner: { token } });
  const { body } = await ask('POST', 'auth/tokens', {
    body: { label: 'agent', scopes: ['read', 'run'] },
  });
  return body.token;
}

function connectTo({ url }: GatewayProcess, token: string, revision: string): Promise<Agent> {
  return connect({ url: `${url}/mcp`, token, revision });
}

function pingOld({ url }: GatewayProcess, token: string, session: string): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': session,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
}

for (const revision of ['2025-03-26', '2025-11-25', modernRevision]) {
  test(`${revision}: after kill -9 of the gateway an agent reads on where it was`, async () => {
    await using place = await makeTemporary();
    const before = await startGatewayProcess(place.path, { runs: openPolicy });
    const token = await makeToken(before);
    const first = await connectTo(before, token, revision);
    const started = await first.call('exec', {
      command: 'echo one; read word; echo "two $word"; read word; exit 9',
      background: true,
    });
    const runId = String(started.data['runId']);
    const one = await first.pollFor(runId, /one/);
    const session = first.transport.sessionId;
    // Waits in the foreground while the gateway dies: nobody wished it to end.
    const lost = first.call('exec', { command: 'sleep 1000', yieldMs: 120_000 });
    lost.catch(() => {});
    const ask = createAsk({ url: before.url, owner: { token: before.token } });
    while ((await ask('GET', 'runs?state=running')).body.total < 2);
    await before.end('SIGKILL');
    first.close().catch(() => {});

    await using after = await startGatewayProcess(place.path, { runs: openPolicy });
    if (session !== undefined) {
      const answer = await pingOld(after, token, session);
      assert.equal(answer.status, 200);
    }
    await using second = await connectTo(after, token, revision);
    const list = await second.call('process', { action: 'list', state: 'running' });
    const live = (list.data['runs'] as { runId: string }[]).map((run) => run.runId);
    assert.equal(live.length, 2, 'both go on');
    await second.call('process', { action: 'write', runId, data: 'more\n' });
    const two = await second.pollFor(runId, /two/, String(one.data['cursor']));
    assert.equal(two.data['output'], 'two more\n');
    const heard = hearMessages(second);
    await second.call('process', { action: 'write', runId, data: 'end\n' });
    if (revision !== modernRevision) {
      const { data } = await heard.of(runId);
      assert.equal((data as Record<string, unknown>)['code'], 9);
    }
    for (const other of live) await second.call('process', { action: 'kill', runId: other });
  });
}
