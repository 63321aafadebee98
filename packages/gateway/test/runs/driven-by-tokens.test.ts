/*
 * What a person started is no way around the policy for agents: a token looks at it, and types nothing into it, over any door.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { openRunSocket, startRun } from '../socket/fixtures.ts';

async function makeToken(rig: TestGateway): Promise<string> {
  const me = callerOf(rig.url, rig.owner.token);
  const asked = { label: 'agent', scopes: ['read', 'run'] };
  return (await me.post('/api/v1/auth/tokens', asked)).body.token;
}

/* What the tool answered, as text. */
async function useProcess(url: string, token: string, params: object): Promise<string> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const send = (body: object) =>
    fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(body) });
  const clientInfo = { name: 'test', version: '1' };
  const hello = await send({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  await hello.text();
  headers['mcp-session-id'] = hello.headers.get('mcp-session-id') ?? '';
  const used = await send({
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'process', arguments: params },
  });
  return used.text();
}

test('a token looks at a run that a person started, and drives it over no door', async () => {
  await using rig = await openTestGateway();
  const token = await makeToken(rig);
  const agent = callerOf(rig.url, token);
  const runId = await startRun(rig, { command: 'sh', pty: true });
  const path = `/api/v1/runs/${runId}`;
  const typed = join(rig.directory, 'typed');
  const line = `touch ${typed}\n`;

  assert.equal((await agent.get(path)).status, 200);
  assert.equal((await agent.get(`${path}/output`)).status, 200);
  for (const [action, body] of [
    ['input', { data: line }],
    ['keys', { literal: line }],
    ['keys', { paste: line }],
    ['resize', { cols: 80, rows: 24 }],
    ['signal', { signal: 'INT' }],
    ['cancel', { graceMs: 0 }],
  ] as const) {
    const { status } = await agent.post(`${path}/${action}`, body);
    assert.equal(status, 403, `${action} ${Object.keys(body).join()}`);
  }
  const headers = { authorization: `Bearer ${token}` };
  for (const query of ['', '?force=true']) {
    const removed = await fetch(`${rig.url}${path}${query}`, { method: 'DELETE', headers });
    assert.equal(removed.status, 403);
  }

  await using socket = await openRunSocket(rig, runId, { token });
  socket.send({ type: 'terminal.input', data: line, input_id: '1' });
  assert.equal((await socket.next('error')).code, 'forbidden');
  socket.send({ type: 'terminal.attach', as: 'terminal' });
  assert.equal((await socket.next('error')).code, 'forbidden');
  socket.send({ type: 'terminal.attach' });
  await socket.next('terminal.attached');

  assert.match(await useProcess(rig.url, token, { action: 'list' }), new RegExp(runId));
  for (const id of [runId, runId.slice(0, 12)]) {
    for (const params of [
      { action: 'write', runId: id, data: line },
      { action: 'send-keys', runId: id, literal: line },
      { action: 'paste', runId: id, text: line },
      { action: 'kill', runId: id },
      { action: 'remove', runId: id },
    ]) {
      assert.match(await useProcess(rig.url, token, params), /"isError":true/, params.action);
    }
  }

  // Whoever started it still may; and what the agent typed would have come before.
  const me = callerOf(rig.url, rig.owner.token);
  const mine = join(rig.directory, 'mine');
  await me.post(`${path}/input`, { data: `touch ${mine}; exit\n` });
  const { body } = await me.get(`${path}/wait`);
  assert.equal(body.exit.reason, 'exit');
  assert.deepEqual([existsSync(mine), existsSync(typed)], [true, false]);
});

test('a token drives what a token started', async () => {
  await using rig = await openTestGateway({ runs: { allow: ['/usr/bin/cat'] } });
  const agent = callerOf(rig.url, await makeToken(rig));
  const { runId } = (await agent.post('/api/v1/runs', { command: 'cat' })).body;
  const given = await agent.post(`/api/v1/runs/${runId}/input`, { data: 'hello', eof: true });
  assert.equal(given.status, 200);
  const { body } = await agent.get(`/api/v1/runs/${runId}/wait`);
  assert.equal(body.exit.reason, 'exit');
});
