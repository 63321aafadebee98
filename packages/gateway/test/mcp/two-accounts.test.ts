/*
 * Two accounts over MCP: what one account runs is not there for another, by whatever action and in whatever revision.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMcpRig, revisions } from './rig.ts';

const actions: readonly Readonly<Record<string, unknown>>[] = [
  { action: 'poll' },
  { action: 'log' },
  { action: 'screen' },
  { action: 'write', data: 'x\n' },
  { action: 'send-keys', keys: ['C-c'] },
  { action: 'submit' },
  { action: 'paste', text: 'x' },
  { action: 'resize', cols: 80, rows: 24 },
  { action: 'signal', signal: 'SIGKILL' },
  { action: 'kill' },
  { action: 'clear' },
  { action: 'remove' },
];

for (const revision of revisions) {
  test(`${revision}: a run of another account is as unknown as one that never was`, async () => {
    await using rig = await openMcpRig();
    const mine = await rig.makeToken();
    const theirs = await rig.makeToken(['read', 'run'], rig.gateway.other);
    await using agent = await rig.connect({ token: mine.token, revision });
    await using stranger = await rig.connect({ token: theirs.token, revision });
    const { data } = await agent.call('exec', {
      command: 'sleep 1000',
      pty: true,
      background: true,
    });
    const runId = String(data['runId']);
    const never = '0123456789abcdef';
    for (const action of actions) {
      const foreign = await stranger.call('process', { ...action, runId });
      const missing = await stranger.call('process', { ...action, runId: never });
      assert.equal(foreign.isError, true, JSON.stringify(action));
      assert.equal(foreign.text.replaceAll(runId, never), missing.text, JSON.stringify(action));
      const begun = await stranger.call('process', { ...action, runId: runId.slice(0, 6) });
      assert.match(begun.text, /no run/);
    }
    const list = await stranger.call('process', { action: 'list' });
    assert.deepEqual(list.data['runs'], []);
    if (revision === '2026-07-28') {
      const uri = `clawdfather://runs/${runId}`;
      await assert.rejects(stranger.client.readResource({ uri }), /not found/i);
      assert.deepEqual((await stranger.client.listResources()).resources, []);
    }
    assert.equal((await rig.look(runId)).state, 'running');
    await agent.call('process', { action: 'kill', runId });
  });
}

test('a session belongs to its token: to any other it is not there', async () => {
  await using rig = await openMcpRig();
  const mine = await rig.makeToken();
  const second = await rig.makeToken();
  await using agent = await rig.connect({ token: mine.token, revision: '2025-11-25' });
  const send = (method: string, token: string, body?: object): Promise<Response> =>
    fetch(rig.url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'mcp-session-id': agent.transport.sessionId ?? '',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  for (const [method, body] of [['POST', ping], ['GET'], ['DELETE']] as const) {
    const answer = await send(method, second.token, body);
    assert.equal(answer.status, 404, method);
    await answer.body?.cancel();
  }
  const own = await send('POST', mine.token, { ...ping, id: 2_000 });
  assert.equal(own.status, 200);
  assert.match(await own.text(), /"result":\{\}/);
});
