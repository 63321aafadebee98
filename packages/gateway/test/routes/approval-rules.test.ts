/*
 * What was allowed for ever, over HTTP: who sees it, who takes it back, and that it is over at once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApprovals } from '@clawdfather/supervisor';
import { openGateway } from '../../src/open-gateway.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { askHere, decideHere } from '../fixtures/local-agent.ts';
import { openTestGateway, systemDeps } from '../fixtures/open-test-gateway.ts';

const params = { argv: ['/usr/bin/touch', 'touched'], yieldMs: 10_000 };

test('what would be allowed for ever is told before, to people alone; what no rule covers says why', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const make = async (label: string, scopes: readonly string[]) =>
    callerOf(rig.url, (await me.post('/api/v1/auth/tokens', { label, scopes })).body.token);
  const agent = await make('agent', ['read', 'run']);
  const approver = await make('approver', ['approve']);
  const ask = async (command: string): Promise<string> =>
    (await agent.post('/api/v1/runs', { command, yieldMs: 10_000 })).body.approvalId;
  const id = await ask('touch a && env b');
  const path = `/api/v1/approvals/${id}/rules`;
  const { body } = await me.get(path);
  assert.deepEqual(body, {
    items: [
      { program: '/usr/bin/touch', file: '/usr/bin/touch', runsAnything: false },
      { program: '/usr/bin/env', file: '/usr/bin/env', runsAnything: true },
    ],
    whyNot: null,
  });
  assert.deepEqual([(await agent.get(path)).status, (await approver.get(path)).status], [403, 403]);
  assert.equal((await callerOf(rig.url, rig.other.token).get(path)).status, 404);
  const writes = (await me.get(`/api/v1/approvals/${await ask('touch a > b')}/rules`)).body;
  assert.deepEqual(writes.items, []);
  assert.match(writes.whyNot, /writ/);
  const decided = await me.post(`/api/v1/approvals/${id}`, { decision: 'allow-always' });
  assert.deepEqual(
    decided.body.rules,
    body.items.map(({ program }: { program: string }) => program),
  );
  assert.deepEqual((await me.get(path)).body, { items: [], whyNot: null });
});

test('a rule says what it allows, who made it and how often it was used, and is revoked once', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const make = async (label: string, scopes: readonly string[]) =>
    callerOf(rig.url, (await me.post('/api/v1/auth/tokens', { label, scopes })).body.token);
  const agent = await make('agent', ['read', 'run']);
  const approver = await make('approver', ['approve']);
  const { approvalId } = (await agent.post('/api/v1/runs', params)).body;
  await me.post(`/api/v1/approvals/${approvalId}`, { decision: 'allow-always' });
  assert.equal((await agent.post('/api/v1/runs', params)).body.status, 'completed');

  const list = await approver.get('/api/v1/approval-rules');
  assert.deepEqual([list.status, list.body.total], [200, 1], JSON.stringify(list.body));
  const [rule] = list.body.items;
  const { id, addedAt, lastUsedAt, ...rest } = rule;
  assert.deepEqual(rest, {
    program: '/usr/bin/touch',
    file: '/usr/bin/touch',
    runsAnything: false,
    account: 'local',
    approvalId,
    addedBy: `device:${rig.owner.deviceId}`,
    uses: 1,
    revokedBy: null,
    revokedAt: null,
  });
  assert.ok(Date.parse(addedAt) <= Date.parse(lastUsedAt));
  const path = `/api/v1/approval-rules/${id}`;
  assert.deepEqual((await me.get(path)).body, rule);
  for (const [who, status] of [
    [agent, 403],
    [callerOf(rig.url, rig.other.token), 404],
  ] as const) {
    assert.equal((await who.get(path)).status, status);
    assert.equal((await who.delete(path)).status, status);
  }
  const refused = await approver.delete(path);
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden']);

  const revoked = await me.delete(path);
  assert.deepEqual(
    [revoked.status, revoked.body.revokedBy, revoked.body.uses],
    [200, `device:${rig.owner.deviceId}`, 1],
  );
  assert.equal((await agent.post('/api/v1/runs', params)).body.status, 'approval-pending');
  const again = await me.delete(path);
  assert.deepEqual([again.status, again.body.error.code], [409, 'already_decided']);
  assert.equal((await me.get('/api/v1/approval-rules')).body.total, 0);
  const all = await me.get('/api/v1/approval-rules?revoked=true');
  assert.deepEqual([all.body.total, all.body.items[0].revokedAt], [1, revoked.body.revokedAt]);
  const { body: audit } = await me.get('/api/v1/audit?action=rule.revoke');
  assert.deepEqual(
    audit.entries.map(({ target, actor, detail }: Record<string, unknown>) => [
      target,
      actor,
      (detail as Record<string, unknown>)['program'],
    ]),
    [[id, `device:${rig.owner.deviceId}`, '/usr/bin/touch']],
  );
  for (const bad of ['0123456789abcdef', 'x', '../x']) {
    const { status, body } = await me.delete(`/api/v1/approval-rules/${encodeURIComponent(bad)}`);
    assert.ok(status === 404 || status === 400, `${bad}: ${status} ${JSON.stringify(body)}`);
  }
});

test('the owner of the machine also sees what was allowed to its agents without the gateway', async () => {
  await using rig = await openTestGateway();
  const { stateDir } = rig.config;
  const { approvalId } = await askHere(stateDir, ['/usr/bin/touch', `${rig.directory}/made`]);
  await decideHere(stateDir, approvalId, { decision: 'allow-always' });
  const me = callerOf(rig.url, rig.owner.token);
  const { body } = await me.get('/api/v1/approval-rules');
  const [{ id, account, addedBy }] = body.items;
  assert.deepEqual([account, addedBy], ['local', 'cli:ann']);
  const made = { label: 'agent', scopes: ['read', 'run'] };
  const agent = callerOf(rig.url, (await me.post('/api/v1/auth/tokens', made)).body.token);
  const { status } = (await agent.post('/api/v1/runs', params)).body;
  assert.equal(status, 'completed', 'it is the same list for an agent at the gateway');
  assert.equal((await me.delete(`/api/v1/approval-rules/${id}`)).status, 200);
  const other = callerOf(rig.url, rig.other.token);
  assert.equal((await other.get('/api/v1/approval-rules?revoked=true')).body.total, 0);
});

test('rules that an earlier gateway kept for its owner join those of the machine', async () => {
  await using rig = await openTestGateway();
  const { stateDir } = rig.config;
  const store = await openApprovals({ stateDir });
  const file = { namedPath: '/usr/bin/touch', realPath: '/usr/bin/touch' };
  const made = { ...file, approvalId: 'a', addedBy: 'cli:ann', addedAtMs: 1 };
  await store.write((tx) => {
    tx.insertAllowRule({ ...made, ruleId: 'of-owner', account: rig.owner.accountId });
    tx.insertAllowRule({ ...made, ruleId: 'of-member', account: rig.other.accountId });
  });
  await rig.gateway.close();
  const again = await openGateway(rig.config, systemDeps());
  try {
    const accounts = ['of-owner', 'of-member'].map((id) => store.allowRule(id)?.account);
    assert.deepEqual(accounts, ['local', rig.other.accountId]);
  } finally {
    await store.close();
    await again.close();
  }
});
