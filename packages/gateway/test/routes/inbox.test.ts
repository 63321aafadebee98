/*
 * The inbox and the notices of a gateway: what needs a person, told once, gone when it is done, apart between accounts.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { type ApiCaller, callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { openRecordingServer } from '../notices/recording-server.ts';

/* Reads the stream until an event of this type has come; answers all that came until then. */
async function untilTold(me: ApiCaller, after: number, type: string) {
  const seen: { seq: number; type: string; payload: Record<string, unknown> }[] = [];
  for (;;) {
    const from = seen.at(-1)?.seq ?? after;
    const { body } = await me.get(`events?after=${from}&wait_ms=20000`);
    seen.push(...body['items']);
    if (seen.some((event) => event.type === type)) return seen;
  }
}

test('an agent that asks is in the inbox until it is answered; done is there until it was looked at', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const other = callerOf(rig.url, rig.other.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const turn = await talk.say('ask: rm -r build');
  await talk.until(({ type }) => type === 'approval');
  const { body: asked } = await me.get('inbox');
  assert.equal(asked['counts'].needs_you, 1);
  assert.equal(asked['counts'].working, 1);
  assert.equal(asked['working'][0].thread.id, talk.id());
  const [card] = asked['approvals'];
  assert.equal(card.kind, 'ask');
  assert.match(card.title, /rm -r build/);
  assert.equal(card.thread.id, talk.id());
  const { body: ask } = await me.get(`asks/${card.id}`);
  await me.post(`asks/${card.id}`, { option_id: ask['options'][0].option_id });
  await talk.until(isEndOf(turn));
  const { body: ended } = await me.get('inbox');
  assert.deepEqual(ended['approvals'], []);
  assert.equal(ended['counts'].needs_you, 0);
  assert.equal(ended['counts'].working, 0);
  assert.deepEqual(
    ended['done'].map((item: { turn_id: string }) => item.turn_id),
    [turn],
  );
  // The events after the number of the first look lead to the second one.
  const { body: between } = await me.get(`events?after=${asked['seq']}`);
  assert.equal(between['last_seq'], ended['seq']);
  const { body: theirs } = await other.get('inbox');
  assert.equal(theirs['counts'].done, 0);
  const { body: thread } = await me.get(`threads/${talk.id()}`);
  await me.post(`threads/${talk.id()}/seen`, { seq: thread['thread'].last_seq });
  assert.equal((await me.get('inbox')).body['counts'].done, 0);
});

test('a command that waits for approval is told with its notice, and its end resolves it', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const { body: token } = await me.post('auth/tokens', { label: 'agent', scopes: ['read', 'run'] });
  const agent = callerOf(rig.url, token['token']);
  const { body: head } = await me.get('events?after=now');
  const { body: held } = await agent.post('runs', { argv: ['touch', 'held'] });
  assert.equal(held['status'], 'approval-pending', JSON.stringify(held));
  const opened = await untilTold(me, head['last_seq'], 'notice');
  assert.ok(opened.some(({ type }) => type === 'approval_opened'));
  const { body: inbox } = await me.get('inbox');
  assert.equal(inbox['approvals'][0].kind, 'command');
  assert.equal(inbox['approvals'][0].id, held['approvalId']);
  assert.match(inbox['approvals'][0].title, /touch held/);
  assert.ok(inbox['approvals'][0].expires_at !== null);
  await me.post(`approvals/${held['approvalId']}`, { decision: 'deny' });
  const closed = await untilTold(me, opened.at(-1)?.seq ?? 0, 'notice_resolved');
  const [end] = closed.filter(({ type }) => type === 'approval_closed');
  assert.equal(end?.payload['state'], 'denied');
  assert.equal((await me.get('inbox')).body['counts'].approvals, 0);
  const { body: notices } = await me.get('notices');
  assert.equal(notices['items'][0].resolution, 'answered');
});

test('runs of an account tell of their start and end, each once', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const { body: head } = await me.get('events?after=now');
  const runId = await me.start({ argv: ['sh', '-c', 'exit 3'] });
  const told = await untilTold(me, head['last_seq'], 'run_ended');
  const ofRuns = told.filter(({ type }) => type.startsWith('run_'));
  assert.deepEqual(
    ofRuns.map(({ type }) => type),
    ['run_started', 'run_ended'],
  );
  assert.equal(ofRuns[1]?.payload['code'], 3);
  assert.ok(JSON.stringify(ofRuns).includes(runId));
});

test('notices reach the webhook and ntfy once each, signed, without a word of the prompt', async () => {
  await using hook = await openRecordingServer();
  await using ntfy = await openRecordingServer();
  const secret = 'a secret of the operator';
  const notify = {
    webhook: { url: `${hook.url}hook`, secret },
    ntfy: { url: ntfy.url, topic: 'mine', token: 'tk_1' },
  };
  await using rig = await openTestGateway({ config: { notify } });
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  await talk.until(isEndOf(await talk.say('canary of a prompt')));
  await hook.untilPosted(1);
  await ntfy.untilPosted(1);
  const [posted] = hook.posted;
  const id = String(posted?.headers['webhook-id']);
  const at = String(posted?.headers['webhook-timestamp']);
  const signature = createHmac('sha256', secret)
    .update(`${id}.${at}.${posted?.text}`)
    .digest('base64');
  assert.equal(posted?.headers['webhook-signature'], `v1,${signature}`);
  assert.equal(posted?.headers['idempotency-key'], id);
  assert.equal(posted?.body.type, 'notice.done');
  assert.equal(posted?.body.data.thread_id, talk.id());
  assert.equal(ntfy.posted[0]?.body.topic, 'mine');
  assert.equal(ntfy.posted[0]?.headers.authorization, 'Bearer tk_1');
  assert.ok(!JSON.stringify([hook.posted, ntfy.posted]).includes('canary'));
  const { body: tried } = await me.post('notices/test', undefined);
  assert.deepEqual(
    tried['items'].map(({ channel, outcome }: { channel: string; outcome: string }) => [
      channel,
      outcome,
    ]),
    [
      ['webhook', 'sent'],
      ['ntfy', 'sent'],
    ],
  );
  const refused = await callerOf(rig.url, rig.other.token).post('notices/test', undefined);
  assert.equal(refused.status, 403);
  const { body: list } = await me.get('notices');
  assert.deepEqual(
    list['items'][0].deliveries.map(({ state }: { state: string }) => state),
    ['sent', 'sent'],
  );
});
