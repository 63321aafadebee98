/*
 * The events of an account at a gateway: pages, long polls, streams that are cut and resumed, gaps that are said, two accounts apart.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '@clawdfather/testkit';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

interface Seen {
  readonly seq: number;
  readonly type: string;
  readonly subject_id: string;
}

async function turnOf({ url, owner }: TestGateway, text: string): Promise<string> {
  const talk = createTalk(() => callerOf(url, owner.token));
  await talk.begin();
  await talk.until(isEndOf(await talk.say(text)));
  return talk.id();
}

test('a turn is a handful of events, however much its agent says', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const start = (await me.get('events?after=now')).body;
  assert.deepEqual(start['items'], []);
  const threadId = await turnOf(rig, 'word '.repeat(500));
  const { body } = await me.get(`events?after=${start['last_seq']}`);
  const types = body['items'].map(({ type }: Seen) => type);
  assert.deepEqual(
    types.filter((type: string) => type.startsWith('turn') || type.startsWith('notice')),
    ['turn_queued', 'turn_started', 'turn_ended', 'notice'],
  );
  assert.ok(types.length < 15, types.join(' '));
  assert.equal(body['last_seq'], body['items'].at(-1).seq);
  assert.equal(body['gap'], null);
  const ofThread = body['items'].filter((item: { thread_id: string }) => item.thread_id !== null);
  assert.ok(ofThread.every((item: { thread_id: string }) => item.thread_id === threadId));
  // The title is the beginning of the prompt; nothing more of it is told.
  assert.ok(!JSON.stringify(body).includes('word '.repeat(40)));
});

test('a poll waits for the first event; another account hears nothing of it', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const other = callerOf(rig.url, rig.other.token);
  const { body: mine } = await me.get('events?after=now');
  const { body: theirs } = await other.get('events?after=now');
  const poll = me.get(`events?after=${mine['last_seq']}&wait_ms=20000`);
  const { body: made } = await me.post('threads', { agent: 'echo' });
  const { body } = await poll;
  assert.equal(body['items'][0].type, 'thread_created');
  assert.equal(body['items'][0].subject_id, made['thread'].id);
  const { body: heard } = await other.get(`events?after=${theirs['last_seq']}&wait_ms=1200`);
  assert.deepEqual(heard['items'], []);
  assert.equal(heard['last_seq'], theirs['last_seq']);
});

test('a stream that is cut at random and resumed sees each number once', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const random = createSeededRandom(7);
  const seen: number[] = [];
  let isDone = false;
  const read = async (): Promise<void> => {
    let lastId = '0';
    while (!isDone) {
      await using stream = await me.events('/api/v1/events', { 'last-event-id': lastId });
      const count = 1 + ((random.bytes(1)[0] ?? 0) % 7);
      for (let index = 0; index < count && !isDone; index += 1) {
        const event = await stream.next();
        if (event === undefined) break;
        assert.equal(event.id, String(event.data.seq));
        seen.push(event.data.seq);
        lastId = event.id;
      }
    }
  };
  const reading = read();
  for (const text of ['one', 'two', 'three']) await turnOf(rig, text);
  // The reader waits for what comes: something has to come when it is done.
  isDone = true;
  await me.post('threads', { agent: 'echo' });
  await reading;
  assert.deepEqual(
    seen,
    seen.map((_, index) => index + 1),
  );
  assert.ok(seen.length > 20, String(seen.length));
});

test('how far a thread was looked at is the same on all devices, and an event', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const threadId = await turnOf(rig, 'hello');
  const { body: before } = await me.get(`threads/${threadId}`);
  assert.equal(before['thread'].seen_seq, 0);
  const { body: head } = await me.get('events?after=now');
  const marked = await me.post(`threads/${threadId}/seen`, { seq: before['thread'].last_seq });
  assert.equal(marked.body['seen_seq'], before['thread'].last_seq);
  const again = await me.post(`threads/${threadId}/seen`, { seq: 1 });
  assert.equal(again.body['seen_seq'], before['thread'].last_seq);
  const { body: list } = await me.get('threads');
  assert.equal(list['items'][0].seen_seq, before['thread'].last_seq);
  const { body } = await me.get(`events?after=${head['last_seq']}`);
  assert.deepEqual(
    body['items'].map(({ type }: Seen) => type),
    ['seen', 'notice_resolved'],
  );
});

test('a number of a future that was undone, and one that was removed, are said as gaps', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  await turnOf(rig, 'hello');
  const { body } = await me.get('events?after=99999&wait_ms=20000');
  assert.equal(body['gap'].reason, 'ahead');
  assert.equal(body['gap'].to, body['last_seq']);
  await using stream = await me.events('/api/v1/events', { 'last-event-id': '99999' });
  const gap = await stream.next();
  assert.equal(gap?.event, 'gap');
  assert.equal(gap?.id, String(body['last_seq']));
  await me.post('threads', { agent: 'echo' });
  assert.equal((await stream.next())?.data.seq, body['last_seq'] + 1);
  assert.equal((await me.get('events?after=x')).status, 400);
  const bad = await me.events('/api/v1/events', { 'last-event-id': '1.5' });
  assert.equal(bad.status, 400);
});
