/*
 * Approvals over HTTP: what is shown, who decides, and that it is decided once.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openApprovals } from '@clawdfather/supervisor';
import { type ApiCaller, callerOf } from '../fixtures/api-caller.ts';
import { makeTemporary } from '../fixtures/temporary.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';

interface Agent extends ApiCaller {
  readonly id: string;
}

async function tokenOf(rig: TestGateway, scopes: readonly string[]): Promise<Agent> {
  const me = callerOf(rig.url, rig.owner.token);
  const made = await me.post('/api/v1/auth/tokens', { label: scopes.join(), scopes });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return { ...callerOf(rig.url, made.body.token), id: made.body.id };
}

const asked = { argv: ['/bin/sh', '-c', 'echo ran'], env: { COLOUR: 'a\u202eb' } };

async function askAs(agent: ApiCaller, params: object = asked) {
  const { status, body } = await agent.post('/api/v1/runs', params);
  assert.deepEqual([status, body.status], [201, 'approval-pending'], JSON.stringify(body));
  return { approvalId: body.approvalId as string, runId: body.runId as string };
}

test('what a token asks for is held, shown as it is, and starts when a person allows it', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const agent = await tokenOf(rig, ['read', 'run']);
  const { approvalId, runId } = await askAs(agent);
  const held = await me.get(`/api/v1/runs/${runId}`);
  assert.deepEqual([held.body.state, held.body.approvalId], ['held', approvalId]);
  assert.equal((await me.get('/api/v1/runs')).body.items[0].state, 'held');
  assert.equal((await me.get(`/api/v1/runs/${runId}/output`)).body.error.code, 'not_running');

  const list = await me.get('/api/v1/approvals?state=pending');
  assert.equal(list.body.total, 1);
  const [shown] = list.body.items;
  assert.deepEqual(shown, {
    ...(await me.get(`/api/v1/approvals/${approvalId}`)).body,
    ageMs: shown.ageMs,
  });
  assert.deepEqual([shown.argv, shown.line, shown.cwd], [asked.argv, null, rig.directory]);
  assert.deepEqual(shown.env, { COLOUR: 'a\\u202eb' });
  assert.deepEqual([shown.host, shown.requester], ['local', `token:${agent.id}`]);
  assert.match(shown.why, /not on the allowlist/);
  assert.ok(shown.ageMs >= 0 && Date.parse(shown.expiresAt) > Date.parse(shown.createdAt));

  const ended = agent.untilEnded(runId);
  const decided = await me.post(`/api/v1/approvals/${approvalId}`, {
    decision: 'allow-once',
    reason: 'looks fine',
  });
  assert.equal(decided.status, 200, JSON.stringify(decided.body));
  const { approval, rules, problem } = decided.body;
  assert.deepEqual([approval.state, rules, problem], ['started', [], null]);
  assert.deepEqual(
    [approval.decidedBy, approval.reason],
    [`device:${rig.owner.deviceId}`, 'looks fine'],
  );
  assert.equal((await ended).exit.code, 0);
  assert.equal(await agent.outputOf(runId), 'ran\n');
  const again = await me.post(`/api/v1/approvals/${approvalId}`, { decision: 'deny' });
  assert.deepEqual([again.status, again.body.error.code], [409, 'already_decided']);
  assert.equal(again.body.error.detail.decidedBy, `device:${rig.owner.deviceId}`);
  assert.equal(again.body.error.detail.decidedAt, approval.decidedAt);
  const { body: audit } = await me.get('/api/v1/audit?action=approval.decide');
  assert.deepEqual(
    audit.entries.map((entry: { target: string }) => entry.target),
    [approvalId],
  );
});

test('A6: a script that changed is not started but asked again; hashes are for people only', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const agent = await tokenOf(rig, ['read', 'run', 'approve']);
  const script = join(rig.directory, 'script.sh');
  writeFileSync(script, 'echo first');
  const { approvalId, runId } = await askAs(agent, { argv: ['/bin/sh', 'script.sh'] });
  const boundFor = async (who: ApiCaller) => {
    const { body } = await who.get(`/api/v1/approvals/${approvalId}`);
    return body.bound.files.find(({ path }: { path: string }) => path === script);
  };
  const sha256 = createHash('sha256').update('echo first').digest('hex');
  assert.deepEqual(await boundFor(me), { path: script, bytes: 10, sha256 });
  assert.deepEqual(await boundFor(agent), { path: script, bytes: 10, sha256: null });
  const { body: listed } = await agent.get('/api/v1/approvals');
  assert.ok(!JSON.stringify(listed).includes(sha256));

  writeFileSync(script, 'echo second');
  const decision = { decision: 'allow-once' };
  const { body: decided } = await me.post(`/api/v1/approvals/${approvalId}`, decision);
  const { state, changed, askedAgainAs, bound } = decided.approval;
  assert.deepEqual([state, changed, bound], ['changed', 'script.sh has changed', null]);
  const why = `script.sh has changed since it was asked for; asked again as ${askedAgainAs}`;
  assert.equal(decided.problem, `nothing was started: ${why}`);
  const { body: next } = await me.get(`/api/v1/approvals/${askedAgainAs}`);
  assert.deepEqual([next.state, next.requester], ['pending', `token:${agent.id}`]);
  assert.ok(next.askedWith !== null);
  assert.equal(next.askedWith, decided.approval.askedWith);
  const again = await me.post(`/api/v1/approvals/${approvalId}`, decision);
  assert.deepEqual([again.status, again.body.error.code], [409, 'already_decided']);
  assert.equal(again.body.error.detail.state, 'changed');
  // It is as little the token's to decide as the first was.
  const approver = await tokenOf(rig, ['read', 'approve']);
  assert.equal((await agent.post(`/api/v1/approvals/${askedAgainAs}`, decision)).status, 403);
  const other = await approver.post(`/api/v1/approvals/${askedAgainAs}`, decision);
  assert.deepEqual([other.status, other.body.problem], [200, null]);
  await agent.untilEnded(next.runId);
  assert.equal(await agent.outputOf(next.runId), 'second\n');
  const { error } = (await me.get(`/api/v1/runs/${runId}/output`)).body;
  assert.equal(error.code, 'not_running');
  assert.deepEqual(
    [error.detail.state, error.detail.changed, error.detail.asked_again_as],
    ['changed', changed, askedAgainAs],
  );
  for (;;) {
    const { body: audit } = await me.get('/api/v1/audit?action=approval.changed');
    const [entry] = audit.entries;
    if (entry === undefined) continue;
    assert.deepEqual([entry.target, entry.actor], [approvalId, 'clawdfather']);
    assert.deepEqual(entry.detail, {
      run_id: runId,
      host: 'local',
      command: '/bin/sh script.sh',
      changed: 'script.sh has changed',
      decided_by: `device:${rig.owner.deviceId}`,
      asked_again_as: askedAgainAs,
    });
    break;
  }
});

test('A1: of many who decide at once one does, and the others are told who', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const approver = await tokenOf(rig, ['read', 'approve']);
  const agent = await tokenOf(rig, ['run']);
  for (let round = 0; round < 5; round += 1) {
    const { approvalId } = await askAs(agent);
    const decide = (who: ApiCaller, decision: string) =>
      who.post(`/api/v1/approvals/${approvalId}`, { decision });
    const answers = await Promise.all([
      decide(me, 'allow-once'),
      decide(approver, 'deny'),
      decide(me, 'deny'),
      decide(approver, 'allow-once'),
    ]);
    const won = answers.filter(({ status }) => status === 200);
    const lost = answers.filter(({ status }) => status === 409);
    assert.deepEqual([won.length, lost.length], [1, 3]);
    const { decidedBy } = won[0]?.body.approval ?? {};
    for (const { body } of lost) {
      assert.deepEqual(
        [body.error.code, body.error.detail.decidedBy],
        ['already_decided', decidedBy],
      );
    }
  }
});

test('A5: a token never decides what it asked for, and never for ever', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const both = await tokenOf(rig, ['read', 'run', 'approve']);
  const approver = await tokenOf(rig, ['approve']);
  const { approvalId } = await askAs(both);
  const path = `/api/v1/approvals/${approvalId}`;
  for (const decision of ['allow-once', 'deny']) {
    const own = await both.post(path, { decision });
    assert.deepEqual([own.status, own.body.error.code], [403, 'forbidden']);
  }
  const always = await approver.post(path, { decision: 'allow-always' });
  assert.deepEqual([always.status, always.body.error.code], [403, 'forbidden']);
  const runner = await tokenOf(rig, ['read', 'run']);
  assert.equal((await runner.post(path, { decision: 'deny' })).status, 403);
  assert.equal((await me.get(path)).body.state, 'pending');
  const denied = await approver.post(path, { decision: 'deny' });
  assert.deepEqual([denied.status, denied.body.approval.state], [200, 'denied']);
  const polled = await both.get(`/api/v1/runs/${denied.body.approval.runId}/wait?timeoutMs=0`);
  assert.deepEqual([polled.body.state, polled.body.exit], ['held', null]);
});

test('allowed for ever by a person, the same program is not asked about again', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const agent = await tokenOf(rig, ['read', 'run']);
  const params = { argv: ['/usr/bin/touch', 'touched'], yieldMs: 10_000 };
  const { approvalId } = await askAs(agent, params);
  const decided = await me.post(`/api/v1/approvals/${approvalId}`, { decision: 'allow-always' });
  assert.deepEqual(decided.body.rules, ['/usr/bin/touch']);
  const again = await agent.post('/api/v1/runs', params);
  assert.equal(again.body.status, 'completed', JSON.stringify(again.body));
  const line = await askAs(agent, { command: 'echo x > file' });
  const refused = await me.post(`/api/v1/approvals/${line.approvalId}`, {
    decision: 'allow-always',
  });
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'validation_error']);
  assert.match(refused.body.error.message, /no rule could cover this/);
});

test('what has lapsed is gone, what was taken back is denied, what is another’s does not exist', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const other = callerOf(rig.url, rig.other.token);
  const agent = await tokenOf(rig, ['read', 'run']);
  const lapsed = await askAs(agent);
  const store = await openApprovals({ stateDir: join(rig.directory, 'state') });
  await store.write((tx) => tx.changeApproval(lapsed.approvalId, 'pending', { state: 'expired' }));
  await store.close();
  const late = await me.post(`/api/v1/approvals/${lapsed.approvalId}`, { decision: 'allow-once' });
  assert.deepEqual([late.status, late.body.error.code], [410, 'expired']);

  const taken = await askAs(agent);
  const path = `/api/v1/approvals/${taken.approvalId}`;
  for (const answer of [
    await other.get(path),
    await other.post(path, { decision: 'deny' }),
    await other.get(`/api/v1/runs/${taken.runId}`),
    await other.post(`/api/v1/runs/${taken.runId}/cancel`),
  ]) {
    assert.deepEqual([answer.status, answer.body.error.code], [404, 'not_found']);
  }
  assert.equal((await other.get('/api/v1/approvals')).body.total, 0);
  const cancelled = await agent.post(`/api/v1/runs/${taken.runId}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.body.isGone], [200, true]);
  const shown = await me.get(path);
  assert.deepEqual([shown.body.state, shown.body.decidedBy], ['denied', `token:${agent.id}`]);
  assert.equal((await me.get('/api/v1/approvals?state=pending')).body.total, 0);
});

test('S1, A2: a held request under a key is asked for once, also by the next gateway, which starts it', async () => {
  await using directory = await makeTemporary();
  const runs = { personPolicy: { security: 'full', ask: 'always' } } as const;
  const params = { command: 'echo ran' };
  const headers = { 'idempotency-key': 'held' };
  let runId: string;
  let approvalId: string;
  {
    await using gateway = await startGatewayProcess(directory.path, { runs });
    ({ runId, approvalId } = (await gateway.me.post('/api/v1/runs', params, headers)).body);
    await gateway.end('SIGKILL');
  }
  await using gateway = await startGatewayProcess(directory.path, { runs });
  const again = await gateway.me.post('/api/v1/runs', params, headers);
  assert.deepEqual(
    [again.body.status, again.body.runId, again.body.approvalId],
    ['approval-pending', runId, approvalId],
  );
  const reused = await gateway.me.post('/api/v1/runs', { command: 'echo other' }, headers);
  assert.equal(reused.body.error.code, 'key_reused');
  const decision = { decision: 'allow-once' };
  assert.equal((await gateway.me.post(`/api/v1/approvals/${approvalId}`, decision)).status, 200);
  assert.equal((await gateway.me.untilEnded(runId)).exit.code, 0);
  assert.equal(await gateway.me.outputOf(runId), 'ran\n');
  assert.equal((await gateway.me.get('/api/v1/runs')).body.total, 1);
});
