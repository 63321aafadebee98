/*
 * Who is let in at `/mcp`, and what for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initializeMessage } from '@clawdfather/testkit';
import { sessionCookie } from '../../src/auth/session-cookie.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { endOfRun, openMcpRig, revisions, runningRun, watchCut } from './rig.ts';

function post(url: URL, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(initializeMessage),
  });
}

for (const revision of revisions) {
  test(`${revision}: a token that may only look sees the tools, looks, and is told what it lacks`, async () => {
    await using rig = await openMcpRig();
    const full = await rig.makeToken();
    const reader = await rig.makeToken(['read']);
    await using agent = await rig.connect({ token: full.token, revision });
    await using looker = await rig.connect({ token: reader.token, revision });
    const { data } = await agent.call('exec', { command: 'echo hi; sleep 1000', background: true });
    const runId = String(data['runId']);
    await looker.pollFor(runId, /hi/);
    const listed = await looker.call('process', { action: 'list' });
    assert.equal((listed.data['runs'] as unknown[]).length, 1);
    assert.equal((await looker.call('process', { action: 'log', runId })).isError, false);
    for (const [tool, args] of [
      ['exec', { command: 'touch never' }],
      ['process', { action: 'write', runId, data: 'x' }],
      ['process', { action: 'kill', runId }],
      ['process', { action: 'remove', runId }],
    ] as const) {
      const refused = await looker.call(tool, args);
      assert.equal(refused.isError, true);
      assert.match(refused.text, /needs the scope run/);
    }
    assert.equal((await rig.look(runId)).state, 'running');
    await agent.call('process', { action: 'kill', runId });
  });
}

test('without a token, or with a bad one, the answer is a challenge', async () => {
  await using rig = await openMcpRig();
  const nobody = await post(rig.url, {});
  assert.equal(nobody.status, 401);
  assert.equal(
    nobody.headers.get('www-authenticate'),
    'Bearer realm="clawdfather", scope="read run"',
  );
  const bad = await post(rig.url, { authorization: `Bearer clf_${'x'.repeat(43)}` });
  assert.equal(bad.status, 401);
  assert.match(bad.headers.get('www-authenticate') ?? '', /error="invalid_token"$/);
  const { error } = (await bad.json()) as { error: { code: string } };
  assert.equal(error.code, 'unauthorized');
});

test('a cookie, a device and a token without a fitting scope are refused', async () => {
  await using rig = await openMcpRig();
  const { owner } = rig.gateway;
  const cookie = await post(rig.url, {
    cookie: `${sessionCookie}=${owner.token}`,
    origin: rig.url.origin,
  });
  assert.equal(cookie.status, 401);
  const device = await post(rig.url, { authorization: `Bearer ${owner.token}` });
  assert.equal(device.status, 403);
  const { token } = await rig.makeToken(['approve']);
  const approver = await post(rig.url, { authorization: `Bearer ${token}` });
  assert.equal(approver.status, 403);
});

test('a page of another origin and a name that is not ours are refused, token or not', async () => {
  await using rig = await openMcpRig();
  const { token } = await rig.makeToken();
  const authorization = `Bearer ${token}`;
  const foreign = await post(rig.url, { authorization, origin: 'http://evil.example' });
  assert.equal(foreign.status, 403);
  const own = await post(rig.url, { authorization, origin: rig.url.origin });
  assert.equal(own.status, 200);
  await own.body?.cancel();
});

test('what changes something is in the audit log, with the token and how it came', async () => {
  await using rig = await openMcpRig();
  const { token, id } = await rig.makeToken();
  await using agent = await rig.connect({ token });
  const { data } = await agent.call('exec', { command: 'sleep 1000', background: true });
  await agent.call('process', { action: 'kill', runId: data['runId'] });
  const { body } = await createAsk(rig.gateway)('GET', 'audit?action=run.start');
  const [entry] = body.entries;
  assert.deepEqual(
    [entry.actor, entry.target, entry.detail],
    [
      `token:${id}`,
      data['runId'],
      {
        who: 'agent 1',
        host: 'local',
        command: 'sleep 1000',
        allowed_by: 'security: full',
        via: 'mcp',
      },
    ],
  );
  const ended = await createAsk(rig.gateway)('GET', 'audit?action=run.cancel');
  assert.equal(ended.body.entries[0].target, data['runId']);
});

test('what is not on the list is held, and the token that asked for it cannot allow it', async () => {
  await using rig = await openMcpRig({
    runs: { agentPolicy: { security: 'allowlist', ask: 'on-miss' } },
  });
  const { token } = await rig.makeToken(['read', 'run', 'approve']);
  await using agent = await rig.connect({ token });
  const { data } = await agent.call('exec', { command: 'touch made' });
  assert.equal(data['status'], 'approval-pending');
  const ask = createAsk(rig.gateway);
  const path = `approvals/${String(data['approvalId'])}`;
  const own = await ask('POST', path, { body: { decision: 'allow-once' }, token });
  assert.equal(own.status, 403);
  const person = await ask('POST', path, { body: { decision: 'allow-once' } });
  assert.equal(person.status, 200, person.text);
  const { runId } = data;
  const done = await agent.call('process', { action: 'poll', runId, waitMs: 30_000 });
  assert.equal(done.data['status'], 'completed');
});

for (const revision of revisions) {
  test(`${revision}: a revoked token ends its open requests and ends no run`, async () => {
    await using rig = await openMcpRig();
    const ask = createAsk(rig.gateway);
    const { token, id } = await rig.makeToken();
    // A client may wait on for an answer that cannot come: what is watched is the connection.
    const ending = rig.createEnding(5);
    const watch = watchCut(ending.command);
    await using agent = await rig.connect({ token, revision, fetch: watch.fetch });
    const waiting = agent.call('exec', { command: ending.command, yieldMs: 120_000 });
    waiting.catch(() => {});
    const runId = await runningRun(rig);
    assert.equal((await ask('DELETE', `auth/tokens/${id}`)).status, 204);
    await watch.cut;
    await assert.rejects(agent.call('process', { action: 'list' }), /401|nauthorized/);
    ending.letGo();
    const { reason, code } = await endOfRun(rig, runId);
    assert.deepEqual([reason, code], ['exit', 5]);
  });
}
