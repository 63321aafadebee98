/*
 * Who may end what: the rule as a table, and every way of ending by it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMayEnd, mayEnd } from '../../src/runs/may-end.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { connect } from '../mcp/rig.ts';
import { openRunSocket } from '../socket/fixtures.ts';

test('the table', () => {
  const actors = ['device:d', 'token:t', 'cleanup', 'operator'];
  const table = {
    'device:other': [true, false, true, true],
    'token:other': [true, true, true, true],
    'mcp:claude token:t': [true, true, true, true],
    // A client names itself, and is not believed.
    'mcp:device:d token:t': [true, true, true, true],
    'cli:1': [true, true, true, true],
  };
  for (const [requester, expected] of Object.entries(table)) {
    assert.deepEqual(
      actors.map((actor) => mayEnd(actor, { requester })),
      expected,
      requester,
    );
  }
  assert.ok(actors.every((actor) => mayEnd(actor, { requester: undefined })));
});

test('a refusal names all that stands in the way, and nothing else', () => {
  const runs = [
    { runId: 'a', requester: 'device:d' },
    { runId: 'b', requester: 'token:t' },
    { runId: 'c', requester: 'device:e' },
  ];
  assert.doesNotThrow(() => checkMayEnd('device:x', runs));
  assert.doesNotThrow(() => checkMayEnd('token:x', []));
  assert.throws(() => checkMayEnd('token:x', runs), {
    code: 'forbidden',
    message: 'a person started runs a, c, which a token does not end',
    detail: { needs: 'person', has: 'token', runs: ['a', 'c'] },
  });
});

async function makeToken(rig: TestGateway, scopes: readonly string[]): Promise<string> {
  const { body } = await createAsk(rig)('POST', 'auth/tokens', {
    body: { label: 'agent', scopes },
  });
  return body.token;
}

const allScopes = ['read', 'run', 'approve', 'admin'];

test('a token closes no session in which a person has something running; a device does', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const token = await makeToken(rig, allScopes);
  const session = (await ask('POST', 'sessions', { body: {} })).body.session.id;
  const start = async (command: string, who = rig.owner.token): Promise<string> => {
    const body = { command, sessionId: session };
    return (await ask('POST', 'runs', { body, token: who })).body.runId;
  };
  const mine = await start('sleep 600');
  const left = await start('setsid sleep 600 & exit 0');
  await callerOf(rig.url, rig.owner.token).untilEnded(left);
  const agents = await start('sleep 600', token);
  for (const [method, path] of [
    ['DELETE', `sessions/${session}`],
    ['POST', 'system/close-sessions'],
  ] as const) {
    const { status, body } = await ask(method, path, { token });
    assert.deepEqual([status, body.error?.code], [403, 'forbidden'], path);
    assert.deepEqual(body.error.detail.runs.toSorted(), [mine, left].toSorted(), path);
  }
  const stateOf = async (id: string) => (await ask('GET', `runs/${id}`)).body.state;
  assert.deepEqual([await stateOf(mine), await stateOf(agents)], ['running', 'running']);
  assert.equal((await ask('GET', `runs/${left}`)).body.treeEndedAt, null);
  assert.equal((await ask('GET', `sessions/${session}`)).body.session.status, 'active');

  // Once nothing of a person's is left, the token may.
  for (const runId of [mine, left]) await ask('DELETE', `runs/${runId}?force=true`);
  assert.equal((await ask('DELETE', `sessions/${session}`, { token })).status, 200);
  const { exit } = (await ask('GET', `runs/${agents}/wait`)).body;
  assert.equal(exit.reason, 'manual-cancel');
});

test('no door lets a token end what a person runs or waits for', async () => {
  const personPolicy = { security: 'full', ask: 'always' } as const;
  await using rig = await openTestGateway({ runs: { personPolicy } });
  const ask = createAsk(rig);
  const token = await makeToken(rig, ['read', 'run']);
  const held = (await ask('POST', 'runs', { body: { argv: ['sleep', '600'] } })).body;
  const started = (await ask('POST', 'runs', { body: { argv: ['sleep', '600'] } })).body;
  await ask('POST', `approvals/${started.approvalId}`, { body: { decision: 'allow-once' } });
  await using agent = await connect({ url: `${rig.url}/mcp`, token });
  for (const { runId } of [held, started]) {
    for (const [method, path, body] of [
      ['POST', `runs/${runId}/cancel`, { graceMs: 0 }],
      ['DELETE', `runs/${runId}`],
      ['DELETE', `runs/${runId}?force=true`],
    ] as const) {
      assert.equal((await ask(method, path, { token, body })).status, 403, `${method} ${path}`);
    }
    for (const action of ['kill', 'remove', 'clear']) {
      for (const id of [runId, runId.slice(0, 10)]) {
        const answer = await agent.call('process', { action, runId: id });
        assert.equal(answer.isError, true, `${action} ${answer.text}`);
      }
    }
  }
  await using socket = await openRunSocket(rig, started.runId, { token });
  socket.send({ type: 'terminal.input', data: '\u0003' });
  assert.equal((await socket.next('error')).code, 'forbidden');
  const approval = (await ask('GET', `approvals/${held.approvalId}`)).body;
  assert.equal(approval.state, 'pending');
  assert.equal((await ask('GET', `runs/${started.runId}`)).body.state, 'running');
});

test('a key is revoked by force by a token only where no person has something running on it', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const token = await makeToken(rig, allScopes);
  const { key } = (await ask('POST', 'keys', { body: { label: 'k' } })).body;
  const connection = { label: 'c', host: 'h.example', username: 'u', keypair_id: key.id };
  const made = (await ask('POST', 'connections', { body: connection })).body.connection;
  // Sessions on hosts cannot be started yet, so its row is made by hand.
  const audit = { action: 'test', actor: 'test' };
  const account = rig.gateway.store.forAccount(rig.owner.accountId);
  const pin = { key: 'k', fingerprint: 'SHA256:f' };
  await account.connections.recordTest({ id: made.id, result: 'ok', pin, audit });
  const owner = { instanceId: 'here', generation: 1 };
  const input = { agent: 'none', owner, openMax: 3, connectionId: made.id, audit };
  const opened = await account.sessions.create(input);
  assert.ok('session' in opened);
  const body = { argv: ['sleep', '600'], sessionId: opened.session.id };
  const { runId } = (await ask('POST', 'runs', { body })).body;
  const refused = await ask('DELETE', `keys/${key.id}?force=true`, { token });
  assert.deepEqual([refused.status, refused.body.error?.detail.runs], [403, [runId]]);
  assert.equal((await ask('GET', 'keys')).body.items[0].status, 'active');
  assert.equal((await ask('GET', `runs/${runId}`)).body.state, 'running');
  assert.equal((await ask('DELETE', `keys/${key.id}?force=true`)).status, 204);
  assert.equal((await ask('GET', `runs/${runId}/wait`)).body.exit.reason, 'manual-cancel');
});
