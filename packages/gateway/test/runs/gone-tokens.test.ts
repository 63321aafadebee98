/*
 * What a token asked for and waits is denied with the token: when it is revoked, and by a gateway that finds it gone at its start.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openGateway } from '../../src/open-gateway.ts';
import { type ApiCaller, callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, systemDeps, type TestGateway } from '../fixtures/open-test-gateway.ts';

const argv = ['/usr/bin/touch', 'made'];

async function makeToken(rig: TestGateway, label: string) {
  const me = callerOf(rig.url, rig.owner.token);
  const { body } = await me.post('/api/v1/auth/tokens', { label, scopes: ['read', 'run'] });
  return { id: body.id as string, agent: callerOf(rig.url, body.token) };
}

async function hold(agent: ApiCaller): Promise<string> {
  const { body } = await agent.post('/api/v1/runs', { argv });
  assert.equal(body.status, 'approval-pending', JSON.stringify(body));
  return body.approvalId;
}

/* Asked again until it is decided: the revocation is answered before. */
async function decidedOf(me: ApiCaller, id: string) {
  for (;;) {
    const { body } = await me.get(`/api/v1/approvals/${id}`);
    if (body.state !== 'pending') return body;
  }
}

test('with its token revoked a request is denied, those of others wait on, and the log keeps the label', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const [gone, stays] = [await makeToken(rig, 'gone'), await makeToken(rig, 'stays')];
  const [first, second] = [await hold(gone.agent), await hold(stays.agent)];
  const allowed = await hold(gone.agent);
  await me.post(`/api/v1/approvals/${allowed}`, { decision: 'allow-once' });
  await me.delete(`/api/v1/auth/tokens/${gone.id}`);
  const { state, decidedBy, reason } = await decidedOf(me, first);
  assert.deepEqual(
    [state, decidedBy, reason],
    ['denied', 'gateway', 'its token was revoked, or has expired'],
  );
  assert.equal((await me.get(`/api/v1/approvals/${second}`)).body.state, 'pending');
  for (;;) {
    const { body } = await me.get('/api/v1/audit?action=run.start');
    if (body.entries.length === 0) continue;
    const [{ actor, detail }] = body.entries;
    assert.deepEqual([actor, detail.who], [`token:${gone.id}`, 'gone']);
    break;
  }
});

test('a token that was revoked while no gateway ran: the next one denies what it finds', async () => {
  await using rig = await openTestGateway();
  const { id, agent } = await makeToken(rig, 'gone');
  const approvalId = await hold(agent);
  const audit = { action: 'test', actor: 'test' };
  // As another gateway of the same database does it.
  await rig.gateway.store.forAccount(rig.owner.accountId).apiTokens.revoke({ id, audit });
  await rig.gateway.close();
  await using again = await openGateway(rig.config, systemDeps());
  const me = callerOf(again.url, rig.owner.token);
  assert.equal((await decidedOf(me, approvalId)).state, 'denied');
});
