/*
 * A decision that names what it is about counts for that and for nothing else.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const other = '0'.repeat(64);

test('an approval with another digest is not decided, and with its own it is', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const made = { label: 'agent', scopes: ['read', 'run'] };
  const { token } = (await me.post('/api/v1/auth/tokens', made)).body;
  const agent = callerOf(rig.url, String(token));
  const held = (await agent.post('runs', { argv: ['touch', 'held'] })).body;
  const path = `approvals/${held['approvalId']}`;
  const { digest } = (await me.get(path)).body;
  assert.match(digest, /^[0-9a-f]{64}$/);
  const refused = await me.post(path, { decision: 'allow-once', digest: other });
  assert.deepEqual([refused.status, refused.body['error'].code], [409, 'changed']);
  assert.equal((await me.get(path)).body['state'], 'pending');
  const denied = await me.post(path, { decision: 'deny', digest });
  assert.deepEqual([denied.status, denied.body['approval'].state], [200, 'denied']);
});

test('an ask with another digest is not answered, and with its own it is', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const turn = await talk.say('ask: rm x');
  const asked = await talk.until(({ type }) => type === 'approval');
  const path = `asks/${String(asked.payload['ask'])}`;
  const { digest, options } = (await me.get(path)).body;
  const [{ option_id }] = options;
  const refused = await me.post(path, { option_id, digest: other });
  assert.deepEqual([refused.status, refused.body['error'].code], [409, 'changed']);
  assert.equal((await me.get(path)).body['state'], 'open');
  const answered = await me.post(path, { option_id, digest });
  assert.deepEqual([answered.status, answered.body['digest']], [200, digest]);
  await talk.until(isEndOf(turn));
});
