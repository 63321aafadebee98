/*
 * The queue at a gateway, over the API: why a turn waits, what people change meanwhile, and what becomes of one turn too many.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, createAsk } from '../fixtures/api-client.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, testConfig } from '../fixtures/open-test-gateway.ts';
import { createTalk, isEndOf } from './talk.ts';

async function openQueue(queue: object) {
  const directory = { named: testConfig('').agents?.named ?? [] };
  const rig = await openTestGateway({ config: { agents: { ...directory, queue } } });
  const me = callerOf(rig.url, rig.owner.token);
  const ask = createAsk(rig);
  const edit = (id: string, body: object): Promise<Answer> => ask('PATCH', `turns/${id}`, { body });
  const talks = {
    begin: async () => {
      const talk = createTalk(() => me);
      await talk.begin();
      return talk;
    },
  };
  const order = async (): Promise<string[]> =>
    (await me.get('queue')).body['items'].map((item: { turn_id: string }) => item.turn_id);
  return {
    rig,
    me,
    edit,
    order,
    ...talks,
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
}

const held = 'ask: anything';

test('a turn that waits says where it stands and why, and starts when there is room', async () => {
  await using queue = await openQueue({ agent: { activeMax: 1 }, gateway: { waitingMax: 2 } });
  const { me } = queue;
  const [first, second] = [await queue.begin(), await queue.begin()];
  const running = await first.say(held);
  await first.until(({ type }) => type === 'approval');
  const behind = await first.say('and then?');
  const waiting = await second.say('hello', { client_message_id: 'm' });
  const { body: turn } = await me.get(`turns/${waiting}`);
  const { reason, ...place } = turn['turn'].queue;
  assert.deepEqual(place, { position: 2, ahead: 1 });
  assert.deepEqual(reason, {
    code: 'agent-lane-full',
    message: '1 of 1 echo turns are running',
    active: 1,
    active_max: 1,
  });
  assert.ok(turn['turn'].poll.interval_ms > 0);
  const { body: thread } = await me.get(`threads/${first.id()}`);
  const codes = thread['turns'].map(
    (one: { queue: { reason: { code: string } } | null }) => one.queue?.reason.code,
  );
  assert.deepEqual(codes, [undefined, 'thread-busy']);
  const { body: shown } = await me.get('queue');
  assert.deepEqual(
    shown['items'].map((item: { turn_id: string }) => item.turn_id),
    [behind, waiting],
  );
  assert.deepEqual(
    shown['lanes'].map(
      ({
        lane,
        agent,
        active,
        waiting: count,
      }: {
        lane: string;
        agent: string | null;
        active: number;
        waiting: number;
      }) => [lane, agent, active, count],
    ),
    [
      ['agent', 'echo', 1, 2],
      ['account', null, 1, 2],
      ['gateway', null, 1, 2],
    ],
  );
  // One too many: nothing of it is stored; one that is there already is found, however full it is.
  const refused = await me.post(`threads/${second.id()}/turns`, {
    text: 'more',
    client_message_id: 'n',
  });
  assert.equal(refused.status, 429);
  const { code, detail } = refused.body['error'];
  assert.equal(code, 'queue_full');
  assert.deepEqual(detail, {
    lane: 'gateway',
    count: 2,
    max: 2,
    turn_code: 'OPENCLAW_GATEWAY_BUSY',
    reason: 'queue_full',
  });
  const again = await me.post(`threads/${second.id()}/turns`, {
    text: 'hello',
    client_message_id: 'm',
  });
  assert.equal(again.body['turn'].id, waiting);
  await me.post(`turns/${running}/cancel`);
  assert.equal((await second.until(isEndOf(waiting))).payload['event'], 'completed');
  assert.equal((await me.get(`turns/${waiting}`)).body['turn'].queue, null);
  assert.equal((await first.until(isEndOf(behind))).payload['event'], 'completed');
  const after = await me.post(`threads/${second.id()}/turns`, {
    text: 'more',
    client_message_id: 'n',
  });
  assert.equal(after.status, 202, 'the same message can be sent again');
});

test('the list of what waits has the beginning of each message and the title of its thread for who asks for them', async () => {
  await using queue = await openQueue({ agent: { activeMax: 1 } });
  const { me } = queue;
  const first = await queue.begin();
  await first.say(held);
  await first.until(({ type }) => type === 'approval');
  await me.patch(`threads/${first.id()}`, { title: 'Paint' });
  await first.say(`one\n\n  two ${'\u{1f600}'.repeat(1_000)}`);
  const image = { type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' };
  await me.post(`threads/${first.id()}/turns`, { blocks: [image] });
  const wordsOf = (body: Answer['body']) =>
    body['items'].map((item: Record<string, unknown>) => [
      item['thread_title'],
      item['text_begins'],
    ]);
  assert.deepEqual(wordsOf((await me.get('queue?words=true')).body), [
    ['Paint', `one two ${'\u{1f600}'.repeat(192)}`],
    ['Paint', null],
  ]);
  assert.deepEqual(wordsOf((await me.get('queue')).body), [
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

test('what waits can be moved, edited and cancelled; what runs cannot', async () => {
  await using queue = await openQueue({ account: { activeMax: 1 } });
  const { me, edit, order } = queue;
  const talks = [
    await queue.begin(),
    await queue.begin(),
    await queue.begin(),
    await queue.begin(),
  ];
  const [first, ...others] = talks;
  const running = await first!.say(held);
  await first!.until(({ type }) => type === 'approval');
  const waiting: string[] = [];
  for (const [index, talk] of others.entries()) waiting.push(await talk.say(`number ${index}`));
  const [a, b, c] = waiting as [string, string, string];
  assert.deepEqual(await order(), [a, b, c]);
  const moved = await me.post(`turns/${c}/move`, { before: a });
  assert.equal(moved.body['turn'].queue.position, 1, JSON.stringify(moved.body));
  assert.deepEqual(await order(), [c, a, b]);
  await me.post(`turns/${c}/move`, { before: null });
  assert.deepEqual(await order(), [a, b, c]);
  await me.post(`turns/${c}/move`, { before: b });
  assert.deepEqual(await order(), [a, c, b]);
  assert.equal((await edit(a, { text: 'something else' })).status, 200);
  assert.equal((await me.post(`turns/${b}/cancel`)).body['accepted'], true);
  assert.deepEqual(await order(), [a, c]);
  for (const refused of [
    await edit(running, { text: 'too late' }),
    await me.post(`turns/${running}/move`, { before: null }),
    await me.post(`turns/${a}/move`, { before: running }),
    await edit(b, { text: 'too late, too' }),
  ]) {
    assert.equal(refused.body['error'].code, 'not_waiting', JSON.stringify(refused.body));
  }
  await me.post(`turns/${running}/cancel`);
  await others[0]!.until(isEndOf(a));
  assert.equal(others[0]!.textOf(a), 'something else');
  await others[2]!.until(isEndOf(c));
  const { body: audit } = await me.get('audit?limit=100');
  const actions = audit['entries'].map(({ action }: { action: string }) => action);
  assert.equal(actions.filter((action: string) => action === 'turn.move').length, 3);
  assert.equal(actions.filter((action: string) => action === 'turn.edit').length, 1);
});

test('a higher priority comes first, and a time of its own is waited for', async () => {
  await using queue = await openQueue({ account: { activeMax: 1 } });
  const { me, order, edit } = queue;
  const talks = [
    await queue.begin(),
    await queue.begin(),
    await queue.begin(),
    await queue.begin(),
  ];
  const [first, second, third, fourth] = talks;
  const running = await first!.say(held);
  await first!.until(({ type }) => type === 'approval');
  const usual = await second!.say('usual');
  const not_before = new Date(Date.now() + 3_600_000).toISOString();
  const later = await third!.say('later', { not_before });
  const urgent = await fourth!.say('urgent', { priority: 5 });
  assert.deepEqual(await order(), [urgent, usual, later]);
  await me.post(`turns/${running}/cancel`);
  await second!.until(isEndOf(usual));
  const { body } = await me.get(`turns/${later}`);
  assert.deepEqual([body['turn'].status, body['turn'].queue.reason.code], ['queued', 'not-before']);
  assert.equal(body['turn'].queue.reason.at, not_before);
  const started = async (id: string): Promise<number> =>
    Date.parse((await me.get(`turns/${id}`)).body['turn'].started_at);
  assert.ok((await started(urgent)) < (await started(usual)));
  await edit(later, { not_before: null });
  assert.equal((await third!.until(isEndOf(later))).payload['event'], 'completed');
});

test('a turn that finds no room for too long fails, and says so', async () => {
  await using queue = await openQueue({ agent: { activeMax: 1, waitMsMax: 1_000 } });
  const [first, second] = [await queue.begin(), await queue.begin()];
  await first.say(held);
  await first.until(({ type }) => type === 'approval');
  const waiting = await second.say('hello');
  assert.equal((await second.until(isEndOf(waiting))).payload['event'], 'failed');
  const { result } = (await queue.me.get(`turns/${waiting}`)).body['turn'];
  assert.deepEqual([result.code, result.cause], ['OPENCLAW_GATEWAY_BUSY', 'queue_timeout']);
  assert.match(result.message, /1 of 1 echo turns are running/);
});

test('a limit that leaves no room for the agent: the turn carries its code, and goes through when a place is given back', async () => {
  const agents = { named: testConfig('').agents?.named ?? [], sessionsMax: 1 };
  await using rig = await openTestGateway({ config: { agents } });
  const me = callerOf(rig.url, rig.owner.token);
  const [first, second] = [createTalk(() => me), createTalk(() => me)];
  await first.begin();
  await first.until(isEndOf(await first.say('one')));
  await second.begin();
  const { payload } = await second.until(isEndOf(await second.say('two')));
  assert.equal(payload['event'], 'failed');
  const { code, cause, message } = payload['result'] as Record<string, string>;
  assert.deepEqual([code, cause], ['OPENCLAW_GATEWAY_BUSY', 'session_limit_reached']);
  assert.equal(message, '1 of 1 sessions are open');
  const { body } = await me.get('sessions?status=active');
  assert.deepEqual(
    body['items'].map((session: { agent_session_id: string }) => session.agent_session_id),
    [first.id()],
  );
  await me.delete(`sessions/${body['items'][0].id}`);
  const end = await second.until(isEndOf(await second.say('three')));
  assert.equal(end.payload['event'], 'completed');
});
