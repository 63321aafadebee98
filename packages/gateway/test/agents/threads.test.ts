/*
 * Threads at a gateway: a turn with everything in it, permissions, cancels, an agent that dies, and a gateway that is killed.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { callerOf } from '../fixtures/api-caller.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { createTalk, isEndOf } from './talk.ts';

test('a turn is queued, started, answered and ended; its text has its hash; the next one follows', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const first = await talk.say('hello there, agent');
  const second = await talk.say('tool: ls\nand more');
  const end = await talk.until(isEndOf(second));
  assert.equal(end.payload['event'], 'completed');
  assert.equal(talk.textOf(first), 'hello there, agent');
  const message = await talk.until(
    ({ type, turn_id, payload }) =>
      type === 'message' && turn_id === first && payload['role'] === 'agent',
  );
  const sha256 = createHash('sha256').update('hello there, agent').digest('hex');
  assert.equal(message.payload['sha256'], sha256);
  const order = talk.events.map(({ seq }) => seq);
  assert.deepEqual(
    order,
    order.map((_seq, index) => index + 1),
  );
  const { body } = await me.get(`threads/${talk.id()}`);
  assert.equal(body['thread'].title, 'hello there, agent');
  assert.equal(body['thread'].status, 'ready');
  assert.deepEqual(
    body['turns'].map(({ status }: { status: string }) => status),
    ['completed', 'completed'],
  );
});

test('a permission is one card, answered once, by an option that was offered', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const turn = await talk.say('ask: rm -r build');
  const asked = await talk.until(({ type }) => type === 'approval');
  const { body: listed } = await me.get('asks');
  assert.equal(listed['items'].length, 1);
  const [ask] = listed['items'];
  assert.equal(ask.id, asked.payload['ask']);
  assert.match(ask.title, /rm -r build/);
  const refused = await me.post(`asks/${ask.id}`, { option_id: 'never offered' });
  assert.equal(refused.body['error'].code, 'option_not_offered');
  const [option] = ask.options;
  const answered = await me.post(`asks/${ask.id}`, { option_id: option.option_id });
  assert.equal(answered.status, 200, JSON.stringify(answered.body));
  const again = await me.post(`asks/${ask.id}`, { option_id: option.option_id });
  assert.equal(again.body['error'].code, 'already_decided');
  assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
  assert.deepEqual((await me.get('asks')).body['items'], []);
});

test('a cancel ends the turn and keeps the agent; what it asks is answered with the cancel', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const turn = await talk.say('ask: anything');
  await talk.until(({ type }) => type === 'approval');
  const { body } = await me.post(`turns/${turn}/cancel`);
  assert.equal(body['accepted'], true);
  assert.equal((await me.post(`turns/${turn}/cancel`)).body['accepted'], false);
  assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'cancelled');
  const next = await talk.say('still there?');
  await talk.until(isEndOf(next));
  const runs = (await me.get(`threads/${talk.id()}`)).body['turns'].map(
    ({ run_id }: { run_id: string }) => run_id,
  );
  assert.equal(new Set(runs).size, 1, 'the agent is the same');
  assert.equal(talk.textOf(next), 'still there?');
});

test('the audit log says who prompted, answered, cancelled and put away, and not what was said', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const asking = await talk.say('ask: rm -r secret-words');
  const asked = await talk.until(({ type }) => type === 'approval');
  const ask = String(asked.payload['ask']);
  const { options } = (await me.get(`asks/${ask}`)).body;
  await me.post(`asks/${ask}`, { option_id: options[0].option_id });
  await talk.until(isEndOf(asking));
  const turn = await talk.say('ask: secret-words again');
  await talk.until(({ type, turn_id }) => type === 'approval' && turn_id === turn);
  await me.post(`turns/${turn}/cancel`);
  await me.post(`turns/${turn}/cancel`);
  await talk.until(isEndOf(turn));
  await me.post(`threads/${talk.id()}/archive`);
  const { entries } = (await me.get('audit?limit=100')).body;
  const told = entries.filter(({ action }: { action: string }) =>
    /^(?:thread|turn|ask)\./.test(action),
  );
  const thread = talk.id();
  assert.deepEqual(
    told.map(({ action, target }: { action: string; target: string }) => [action, target]),
    [
      ['thread.archive', thread],
      ['turn.cancel', turn],
      ['turn.prompt', turn],
      ['ask.answer', ask],
      ['turn.prompt', asking],
      ['thread.create', thread],
    ],
  );
  for (const { actor, ip } of told) assert.ok(/^(?:device|token):/.test(actor) && ip !== null);
  const [answered] = told.filter(({ action }: { action: string }) => action === 'ask.answer');
  const detail = { thread, class: 'permission', answer: 'option', option: options[0].option_id };
  assert.deepEqual(answered.detail, detail);
  assert.doesNotMatch(JSON.stringify(told), /secret-words/);
});

test('an agent that dies interrupts its turn with the cause; the next prompt has another one', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const turn = await talk.say('crash');
  const end = await talk.until(isEndOf(turn));
  assert.equal(end.payload['event'], 'interrupted');
  assert.deepEqual((end.payload['result'] as { cause: string }).cause, 'signal');
  const next = await talk.say('and now?');
  assert.equal((await talk.until(isEndOf(next))).payload['event'], 'completed');
  const isLost = ({ payload }: { payload: Readonly<Record<string, unknown>> }): boolean =>
    payload['event'] === 'context-lost';
  assert.ok(talk.events.some(isLost), 'it says that the context is lost');
});

test('the same message twice is one turn; a closed session ends its agent, and the thread goes on', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const turn = await talk.say('once', { client_message_id: 'm1' });
  assert.equal(await talk.say('once', { client_message_id: 'm1' }), turn);
  await talk.until(isEndOf(turn));
  const { body } = await me.get(`threads/${talk.id()}`);
  const closed = await me.delete(`sessions/${body['thread'].session_id}`);
  assert.equal(closed.status, 200, JSON.stringify(closed.body));
  await talk.until(({ payload }) => payload['event'] === 'agent-ended');
  const next = await talk.say('again');
  assert.equal((await talk.until(isEndOf(next))).payload['event'], 'completed');
});

test('a reader whose number is of another past is told so, and hears everything from the beginning', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  await talk.until(isEndOf(await talk.say('hello')));
  const path = `threads/${talk.id()}/events`;
  const newest = talk.events.at(-1)?.seq ?? 0;
  await using stream = await me.events(`/api/v1/${path}`, { 'last-event-id': String(newest + 1) });
  const reset = await stream.next();
  assert.deepEqual([reset?.event, reset?.id, reset?.data], ['reset', '0', { last_seq: newest }]);
  for (const { seq } of talk.events) assert.equal((await stream.next())?.data.seq, seq);
  // Nobody waits for what may be years away.
  const page = await me.get(`${path}?after=${newest + 1}&wait_ms=50000`);
  assert.deepEqual(page.body, { items: [], last_seq: newest });
  await using fresh = await me.events(`/api/v1/${path}`, { 'last-event-id': String(newest) });
  await talk.say('more');
  assert.equal((await fresh.next())?.data.seq, newest + 1, 'the newest number is no other past');
});

test('what cannot be: an unknown agent, no prompt, a member without a user, an archived thread', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const unknown = await me.post('threads', { agent: 'nobody' });
  assert.equal(unknown.status, 400);
  assert.match(unknown.body['error'].message, /there is no agent "nobody"/);
  const member = await callerOf(rig.url, rig.other.token).post('threads', { agent: 'echo' });
  assert.equal(member.status, 403);
  assert.match(member.body['error'].hint, /Unix user of your own/);
  const talk = createTalk(() => me);
  await talk.begin();
  const both = await me.post(`threads/${talk.id()}/turns`, {});
  assert.equal(both.status, 400);
  assert.equal((await me.post(`threads/${talk.id()}/archive`)).status, 200);
  const late = await me.post(`threads/${talk.id()}/turns`, { text: 'too late' });
  assert.equal(late.body['error'].code, 'thread_archived');
});

test('a gateway that is killed in the middle of an answer, and with a permission open, loses nothing', {
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-turn-'));
  let gateway = await startGatewayProcess(directory);
  try {
    const talk = createTalk(() => gateway.me);
    await talk.begin();
    const turn = await talk.say('say 3000 words\nask: go on?\nsay 3000 words');
    await talk.until(({ type }) => type === 'delta');
    await gateway.end('SIGKILL');
    gateway = await startGatewayProcess(directory);
    const { payload } = await talk.until(({ type }) => type === 'approval');
    await gateway.end('SIGKILL');
    gateway = await startGatewayProcess(directory);
    const { body } = await gateway.me.get('asks');
    assert.deepEqual(
      body['items'].map(({ id }: { id: string }) => id),
      [payload['ask']],
    );
    const [{ id: askId, options }] = body['items'];
    const sent = await gateway.me.post(`asks/${askId}`, { option_id: options[0].option_id });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    await gateway.end('SIGKILL');
    gateway = await startGatewayProcess(directory);
    assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
    const words = talk.textOf(turn).match(/word-\d+/g) ?? [];
    const expected = Array.from({ length: 3000 }, (_, index) => `word-${index + 1}`);
    assert.deepEqual(words, [...expected, ...expected]);
    assert.equal(talk.events.filter(({ payload: { state } }) => state === 'open').length, 1);
  } finally {
    await gateway.end('SIGKILL');
    await endEveryRun(testStateOf(directory));
    await rm(directory, { recursive: true, force: true });
  }
});

function testStateOf(directory: string): string {
  return join(directory, 'state');
}
