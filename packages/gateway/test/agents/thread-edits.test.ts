/*
 * What a person does to a thread as a whole: another name, a pin, putting it away and taking it back; and what the inbox says of threads that
 * work, and of those that have gone on unseen.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { createTalk, isEndOf } from './talk.ts';

test('a thread is renamed and pinned for all devices, put away, taken back, and goes on', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  await talk.until(isEndOf(await talk.say('hello')));
  const path = `threads/${talk.id()}`;
  const { body: edited } = await me.patch(path, { title: 'The greeting', is_pinned: true });
  assert.equal(edited['thread'].title, 'The greeting');
  assert.ok(edited['thread'].pinned_at !== null);
  assert.equal((await me.patch(path, { title: 'a\u202Eb' })).status, 400, 'turned writing');
  assert.equal((await me.patch(path, { title: '' })).status, 400, 'no name');
  // A pin is kept while the thread goes on, and so is the name that a person gave it.
  const next = await talk.say('again');
  await talk.until(isEndOf(next));
  const { body: pinned } = await me.get('threads?pinned=true');
  assert.deepEqual(
    pinned['items'].map(({ id, title }: { id: string; title: string }) => [id, title]),
    [[talk.id(), 'The greeting']],
  );
  await me.patch(path, { is_pinned: false });
  assert.equal((await me.get('threads?pinned=true')).body['total'], 0);
  assert.equal((await me.post(`${path}/archive`)).status, 200);
  assert.equal((await me.get('threads')).body['total'], 0);
  const { body: back } = await me.post(`${path}/unarchive`);
  assert.equal(back['thread'].status, 'ready');
  assert.equal((await me.post(`${path}/unarchive`)).status, 200, 'twice is harmless');
  const more = await talk.say('still there?');
  await talk.until(isEndOf(more));
  assert.equal(talk.textOf(more), 'still there?');
  const { entries } = (await me.get('audit?limit=100')).body;
  const actions = entries.map(({ action }: { action: string }) => action);
  const edits = actions.filter((action: string) => /^thread\.(?!create)/.test(action));
  assert.deepEqual(edits, ['thread.unarchive', 'thread.archive', 'thread.edit', 'thread.edit']);
  const { body: theirs } = await callerOf(rig.url, rig.other.token).patch(path, { title: 'mine' });
  assert.equal(theirs['error'].code, 'not_found');
});

test('the inbox says what a working thread did last, and which threads have gone on since they were looked at', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  await talk.until(isEndOf(await talk.say('hello')));
  const { seq: seen } = talk.events.at(-1)!;
  assert.deepEqual((await me.get('inbox')).body['went_on'], [], 'never looked at');
  await me.post(`threads/${talk.id()}/seen`, { seq: seen });
  assert.deepEqual((await me.get('inbox')).body['went_on'], [], 'nothing since');
  const turn = await talk.say('tool: ls src\nask: rm -r build');
  const asked = await talk.until(({ type }) => type === 'approval');
  const { body: during } = await me.get('inbox');
  const [working] = during['working'];
  assert.equal(working.last_step.title, 'rm -r build');
  assert.ok(working.new_events > 0);
  await me.post(`asks/${String(asked.payload['ask'])}`, { action: 'cancel' });
  await talk.until(isEndOf(turn));
  const [gone] = (await me.get('inbox')).body['went_on'];
  assert.equal(gone.thread.id, talk.id());
  assert.equal(gone.seen_seq, seen);
  assert.equal(gone.new_events, talk.events.at(-1)!.seq - seen);
});
