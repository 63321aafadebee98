/*
 * The conversation of a session on its socket: the same numbers as everywhere, what a client says, and what it may not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionServerMessageSchema } from '@clawdfather/protocol/api';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { type ApiCaller, callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { readOn, stopReading, TestSocket } from './fixtures.ts';

interface Started {
  readonly me: ApiCaller;
  readonly talk: ReturnType<typeof createTalk>;
  readonly sessionId: string;
}

/* A session with the echoing agent. */
async function startSession(rig: TestGateway): Promise<Started> {
  const me = callerOf(rig.url, rig.owner.token);
  const { status, body } = await me.post('sessions', { agent: 'echo' });
  assert.equal(status, 201, JSON.stringify(body));
  const talk = createTalk(() => me);
  talk.takeUp(body['session'].agent_session_id);
  return { me, talk, sessionId: body['session'].id };
}

async function connect(
  rig: TestGateway,
  id: string,
  auth: { readonly token?: string; readonly resume_from?: number } = {},
): Promise<TestSocket> {
  const socket = await new TestSocket(`${rig.url}/ws/sessions/${id}`).opened();
  return socket.send({ type: 'auth', token: rig.owner.token, ...auth });
}

/* Every event up to the first that fits, as its message. */
async function eventsUntil(socket: TestSocket, isIt: (event: SeenMessage) => boolean) {
  const seen: SeenMessage[] = [];
  for (;;) {
    const message = await socket.next('event');
    sessionServerMessageSchema.parse(message);
    seen.push(message);
    if (isIt(message)) return seen;
  }
}
type SeenMessage = Awaited<ReturnType<typeof nextEvent>>;
const nextEvent = (socket: TestSocket) => socket.next('event');

test('what is said on the socket is a turn, and its events have the thread’s own numbers', async () => {
  await using rig = await openTestGateway();
  const { me, talk, sessionId } = await startSession(rig);
  await using socket = await connect(rig, sessionId, { resume_from: 0 });
  const hello = await socket.next('session');
  assert.equal(hello.thread?.id, talk.id());
  assert.equal(typeof hello.gateway?.generation, 'number');
  const said = { type: 'message', text: 'hello there', client_message_id: 'm1' };
  socket.send(said);
  const { turn, client_message_id: acknowledged } = await socket.next('message_ack');
  assert.equal(acknowledged, 'm1');
  const seen = await eventsUntil(
    socket,
    ({ status, event }) => status === 'done' && event.turn_id === turn.id,
  );
  assert.deepEqual(
    seen.map(({ seq }) => seq),
    seen.map((_event, index) => index + 1),
  );
  await talk.until(isEndOf(turn.id));
  assert.deepEqual(
    seen.map(({ event }) => event),
    talk.events,
  );
  const statuses = seen.flatMap(({ status }) => (status === undefined ? [] : [status]));
  assert.deepEqual(statuses, ['queued', 'thinking', 'done']);

  socket.send(said);
  assert.equal((await socket.next('message_ack')).turn.id, turn.id, 'a resend is the same turn');
  socket.send({ ...said, text: 'something else' });
  const { code, client_message_id: refusedId } = await socket.next('error');
  assert.deepEqual([code, refusedId], ['key_reused', 'm1']);
  const again = await me.post(`threads/${talk.id()}/turns`, {
    text: 'hello there',
    client_message_id: 'm1',
  });
  assert.equal(again.body['turn'].id, turn.id, 'also by the other way');

  await using late = await connect(rig, sessionId, { resume_from: 2 });
  const rest = await eventsUntil(late, ({ status }) => status === 'done');
  assert.deepEqual(
    rest.map(({ seq }) => seq),
    seen.slice(2).map(({ seq }) => seq),
  );

  await using newcomer = await connect(rig, sessionId);
  const { thread } = await newcomer.next('session');
  newcomer.send({ type: 'message', text: 'more', client_message_id: 'm2' });
  assert.equal((await newcomer.next('event')).seq, (thread?.last_seq ?? 0) + 1);
});

test('a turn is cancelled by its id, or as the one that runs', async () => {
  await using rig = await openTestGateway();
  const { talk, sessionId } = await startSession(rig);
  await using socket = await connect(rig, sessionId, { resume_from: 0 });
  socket.send({ type: 'message', text: 'ask: wait for me', client_message_id: 'm1' });
  const running = (await socket.next('message_ack')).turn.id;
  await eventsUntil(socket, ({ event }) => event.type === 'approval');
  socket.send({ type: 'message', text: 'next', client_message_id: 'm2' });
  const waiting = (await socket.next('message_ack')).turn.id;
  socket.send({ type: 'cancel', turn_id: waiting });
  assert.deepEqual(await socket.next('cancel_ack'), {
    type: 'cancel_ack',
    turn_id: waiting,
    accepted: true,
  });
  socket.send({ type: 'cancel' });
  assert.equal((await socket.next('cancel_ack')).turn_id, running);
  await eventsUntil(socket, ({ status, event }) => status === 'done' && event.turn_id === running);
  socket.send({ type: 'cancel' });
  assert.equal((await socket.next('error')).code, 'not_found');
  await talk.until(isEndOf(running));
});

test('what the agent asks is approved once, by the option that the decision means, and not by the token that prompted', async () => {
  await using rig = await openTestGateway();
  const { me, sessionId } = await startSession(rig);
  const { body } = await me.post('auth/tokens', {
    label: 'bot',
    scopes: ['read', 'run', 'approve'],
  });
  await using bot = await connect(rig, sessionId, { token: body['token'], resume_from: 0 });
  bot.send({ type: 'message', text: 'ask: rm -r build', client_message_id: 'm1' });
  const [asked] = (await eventsUntil(bot, ({ event }) => event.type === 'approval')).slice(-1);
  const approval_id = String(asked?.event.payload['ask']);
  bot.send({ type: 'approve', approval_id, decision: 'allow-once' });
  assert.equal((await bot.next('error')).code, 'forbidden');
  await using person = await connect(rig, sessionId, { resume_from: 0 });
  person.send({ type: 'approve', approval_id, decision: 'allow-always' });
  const refused = await person.next('error');
  assert.deepEqual([refused.code, refused.about], ['option_not_offered', 'approve']);
  person.send({ type: 'approve', approval_id, decision: 'allow-once' });
  assert.deepEqual(await person.next('approved'), {
    type: 'approved',
    approval_id,
    state: 'answered',
  });
  person.send({ type: 'approve', approval_id, decision: 'deny' });
  assert.equal((await person.next('error')).code, 'already_decided');
  await eventsUntil(person, ({ status }) => status === 'done');
});

test('a session without an agent has no conversation, and a token that only reads says nothing', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const { body: plain } = await me.post('sessions', {});
  await using socket = await connect(rig, plain['session'].id, { resume_from: 0 });
  assert.equal((await socket.next('session')).thread, null);
  socket.send({ type: 'message', text: 'hello', client_message_id: 'm1' });
  const refused = await socket.next('error');
  assert.deepEqual(
    [refused.code, refused.about, refused.client_message_id],
    ['unsupported', 'message', 'm1'],
  );
  const { sessionId } = await startSession(rig);
  const { body } = await me.post('auth/tokens', { label: 'reader', scopes: ['read'] });
  await using reader = await connect(rig, sessionId, { token: body['token'] });
  reader.send({ type: 'message', text: 'hello', client_message_id: 'm1' });
  assert.equal((await reader.next('error')).code, 'forbidden');
  reader.send({ type: 'cancel' });
  assert.equal((await reader.next('error')).code, 'forbidden');
});

test('a client that does not read gets the rest when it does, with nothing lost or doubled', async () => {
  await using rig = await openTestGateway();
  const { talk, sessionId } = await startSession(rig);
  await using slow = await connect(rig, sessionId, { resume_from: 0 });
  await slow.next('session');
  stopReading(slow);
  const line = 'x'.repeat(15_000);
  for (let count = 0; count < 20; count += 1) await talk.say(`${line}\n${line}\n${line}`);
  const last = await talk.say('the end');
  await talk.until(isEndOf(last));
  readOn(slow);
  const seen = await eventsUntil(
    slow,
    ({ status, event }) => status === 'done' && event.turn_id === last,
  );
  assert.deepEqual(
    seen.map(({ event }) => event),
    talk.events,
  );
});
