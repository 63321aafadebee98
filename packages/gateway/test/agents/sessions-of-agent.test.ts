/*
 * What an agent can do with other sessions, over the API, with the key of its run: and all that it cannot.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { endRun, noText } from '@clawdfather/agents';
import { fakeAgentCommand, openGate } from '@clawdfather/testkit';
import { everyEndpoint, send } from '../matrix/send.ts';
import { type Made, rows as matrixRows } from '../matrix/rows.ts';
import { agentKeyFor } from '../fixtures/agent-key-for.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { createTalk, isEndOf } from './talk.ts';

const keyed = (key: string) => ({ 'idempotency-key': key });

test('a child is spawned once per key, does its task, and its parent is woken once', async () => {
  await using rig = await openTestGateway();
  const person = callerOf(rig.url, rig.owner.token);
  const parent = await agentKeyFor(rig, rig.owner);
  const agent = callerOf(rig.url, parent.key);
  const task = { task: 'say 3 words\nthe \u202egnirts\u202c is odd' };
  const [first, again] = await Promise.all([
    agent.post('agent/sessions', task, keyed('one')),
    agent.post('agent/sessions', task, keyed('one')),
  ]);
  assert.equal(first.status, 201, JSON.stringify(first.body));
  const { session, receipt } = first.body;
  assert.equal(again.body['session'].session_key, session.session_key);
  assert.equal(again.body['receipt'].receipt, receipt.receipt);
  assert.deepEqual(
    [session.owner_session_key, session.spawned_by, session.parent_session_key],
    [parent.thread.id, parent.thread.id, parent.thread.id],
  );
  assert.deepEqual(session.ancestor_session_keys, [parent.thread.id]);
  assert.equal(session.title, 'say 3 words the gnirts is odd');
  const other = await agent.post('agent/sessions', { task: 'another' }, keyed('one'));
  assert.equal(other.body['error'].code, 'key_reused');
  const talk = createTalk(() => person);
  talk.takeUp(session.session_key);
  await talk.until(isEndOf(receipt.receipt));
  // No person said it, and what is hidden is shown.
  const told = talk.events.find(
    ({ type, payload }) => type === 'message' && payload['role'] === 'user',
  );
  assert.equal(told?.payload['from'], `thread:${parent.thread.id}`);
  assert.match(JSON.stringify(told?.payload['blocks']), /No person wrote it.*\\\\u202egnirts/);
  const status = await agent.get(`agent/receipts/${receipt.receipt}`);
  assert.deepEqual(
    [status.body['receipt'].state, status.body['receipt'].result_code],
    ['ended', 'success'],
  );
  // The agent of this parent is nowhere, so what wakes it waits there, to be seen.
  const wakes = createTalk(() => person);
  wakes.takeUp(parent.thread.id);
  await wakes.until(({ type, payload }) => type === 'status' && payload['event'] === 'queued');
  const { body } = await person.get(`threads/${parent.thread.id}`);
  assert.equal(body['turns'].length, 1);
  const { threads } = rig.gateway.store.forAccount(rig.owner.accountId);
  const wake = await threads.turn(body['turns'][0].id);
  assert.equal(wake?.requester, `thread:${session.session_key}`);
  const { text = '' } = (wake?.prompt[0] ?? {}) as { readonly text?: string };
  assert.match(text, /A notice, which no person wrote/);
  assert.match(text, new RegExp(`Receipt ${receipt.receipt}: completed \\(success\\)`));
  assert.match(text, /--- begin (\S+) ---\n[^]*--- end \1 ---/);
  assert.match(text, new RegExp(`sessions_history with session ${session.session_key}`));
  assert.deepEqual(await rig.gateway.store.system.wakes.due(9), []);
});

test('a message has a receipt, and is one turn per key', async () => {
  await using rig = await openTestGateway();
  const sender = await agentKeyFor(rig, rig.owner);
  const target = await agentKeyFor(rig, rig.owner, { parentId: sender.thread.id });
  const agent = callerOf(rig.url, sender.key);
  const path = `agent/sessions/${target.thread.id}/messages`;
  const sent = await agent.post(path, { text: 'hello' }, keyed('k'));
  assert.equal(sent.status, 202, JSON.stringify(sent.body));
  assert.equal(sent.body['receipt'].state, 'accepted');
  const again = await agent.post(path, { text: 'hello' }, keyed('k'));
  assert.equal(again.body['receipt'].receipt, sent.body['receipt'].receipt);
  const reused = await agent.post(path, { text: 'other' }, keyed('k'));
  assert.equal(reused.body['error'].code, 'key_reused');
  const status = await agent.get(`agent/sessions/${target.thread.id}`);
  assert.deepEqual(
    [status.body['waits_for'], status.body['queued_turns'], status.body['session'].status],
    ['queue', 1, 'queued'],
  );
  const turn = await rig.gateway.store
    .forAccount(rig.owner.accountId)
    .threads.turn(sent.body['receipt'].receipt);
  assert.equal(turn?.wakeId, undefined, 'a message wakes only where that is asked for');
  const waking = await agent.post(path, { text: 'more', wake: true }, keyed('l'));
  const { threads } = rig.gateway.store.forAccount(rig.owner.accountId);
  assert.equal((await threads.turn(waking.body['receipt'].receipt))?.wakeId, sender.thread.id);
  const own = `agent/sessions/${sender.thread.id}/messages`;
  const toItself = await agent.post(own, { text: 'later', wake: true }, keyed('m'));
  assert.equal((await threads.turn(toItself.body['receipt'].receipt))?.wakeId, undefined);
});

test('the receipt of a message goes from accepted to begun to ended, with its times', async () => {
  const gates = await mkdtemp(join(tmpdir(), 'clf-gates-'));
  try {
    const echo = { name: 'echo', command: fakeAgentCommand({ gates }) };
    await using rig = await openTestGateway({ config: { agents: { named: [echo] } } });
    const sender = await agentKeyFor(rig, rig.owner);
    const agent = callerOf(rig.url, sender.key);
    const spawned = await agent.post('agent/sessions', { task: 'hello' }, keyed('a'));
    const key = spawned.body['session'].session_key;
    const talk = createTalk(() => callerOf(rig.url, rig.owner.token));
    talk.takeUp(key);
    await talk.until(isEndOf(spawned.body['receipt'].receipt));
    using gate = openGate(gates, 'gate');
    const path = `agent/sessions/${key}/messages`;
    const sent = (await agent.post(path, { text: 'sleep at gate' }, keyed('b'))).body['receipt'];
    assert.deepEqual([sent.state, sent.begun_at, sent.ended_at], ['accepted', null, null]);
    const look = async () => (await agent.get(`agent/receipts/${sent.receipt}`)).body['receipt'];
    await gate.reached();
    const begun = await look();
    assert.deepEqual([begun.state, begun.status, begun.ended_at], ['begun', 'running', null]);
    assert.equal(typeof begun.begun_at, 'string');
    gate.release();
    await talk.until(isEndOf(sent.receipt));
    const ended = await look();
    assert.deepEqual(
      [ended.state, ended.begun_at, ended.result_code],
      ['ended', begun.begun_at, 'success'],
    );
    assert.equal(typeof ended.ended_at, 'string');
  } finally {
    await rm(gates, { recursive: true, force: true });
  }
});

test('the history is pages of text, newest first, and long texts lose their middle', async () => {
  await using rig = await openTestGateway();
  const person = callerOf(rig.url, rig.owner.token);
  const asking = await agentKeyFor(rig, rig.owner);
  const talk = createTalk(() => person);
  const agent = callerOf(rig.url, asking.key);
  const spawned = await agent.post('agent/sessions', { task: 'one' }, keyed('a'));
  const key = spawned.body['session'].session_key;
  talk.takeUp(key);
  await talk.until(isEndOf(spawned.body['receipt'].receipt));
  await talk.until(isEndOf(await talk.say('think: hidden thoughts\nsay 5000 words')));
  await talk.until(isEndOf(await talk.say('last')));
  const newest = await agent.get(`agent/sessions/${key}/history?limit=3`);
  const { items, next_before: before } = newest.body;
  assert.deepEqual(
    items.map(({ role }: { role: string }) => role),
    ['agent', 'user', 'agent'],
  );
  const [long, asked, answer] = items;
  assert.ok(long.is_cut && long.text.length < 8_100 && long.text.includes('[…]'));
  assert.deepEqual([asked.text, asked.from_session_key], ['last', null]);
  assert.equal(answer.text, 'last');
  const older = await agent.get(`agent/sessions/${key}/history?limit=10&before=${before}`);
  const texts = older.body['items'].map(({ text }: { text: string }) => text).join('\n');
  assert.match(texts, /one/);
  assert.doesNotMatch(texts, /hidden thoughts\n*$/);
  assert.equal(older.body['items'][0].from_session_key, asking.thread.id);
  assert.equal(older.body['next_before'], null);
});

test('AK3 the key opens nothing else, and no other credential opens this', async () => {
  await using rig = await openTestGateway();
  const { key, thread } = await agentKeyFor(rig, rig.owner);
  // Whichever thing a row names.
  const made = new Proxy({} as Made, {
    get: (_target, name) => (name === 'threadId' ? thread.id : '0123456789abcdef'),
  });
  for (const [name, endpoint] of everyEndpoint) {
    if (endpoint.access === 'open') continue;
    await rig.gateway.store.system.rateLimits.forget({
      scope: 'auth.bad-token',
      subject: '127.0.0.1',
    });
    const call = matrixRows[name]?.call?.(made);
    if (endpoint.access === 'agent') {
      for (const token of [rig.owner.token, rig.other.token]) {
        assert.equal((await send({ url: rig.url, token }, endpoint, call)).status, 403, name);
      }
    } else {
      assert.equal((await send({ url: rig.url, token: key }, endpoint, call)).status, 401, name);
    }
  }
  const mcp = await fetch(new URL('/mcp', rig.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(mcp.status, 401);
});

test('another account, another tree, a forged receipt: all are missing, word for word', async () => {
  await using rig = await openTestGateway();
  const mine = await agentKeyFor(rig, rig.owner);
  const stranger = await agentKeyFor(rig, rig.owner);
  const foreign = await agentKeyFor(rig, rig.other);
  const child = await agentKeyFor(rig, rig.owner, { parentId: stranger.thread.id });
  const asStranger = callerOf(rig.url, stranger.key);
  const path = `agent/sessions/${child.thread.id}/messages`;
  const theirs = (await asStranger.post(path, { text: 'x' }, keyed('k'))).body['receipt'].receipt;
  const agent = callerOf(rig.url, mine.key);
  const missing = '0123456789abcdef';
  for (const id of [stranger.thread.id, foreign.thread.id, child.thread.id]) {
    for (const suffix of ['', '/history']) {
      const got = await agent.get(`agent/sessions/${id}${suffix}`);
      const nothing = await agent.get(`agent/sessions/${missing}${suffix}`);
      assert.deepEqual([got.status, got.body], [404, nothing.body], suffix);
    }
    const sent = await agent.post(`agent/sessions/${id}/messages`, { text: 'x' });
    assert.equal(sent.status, 404);
  }
  // Also the receipt of a turn in a session that it does see, but that somebody else has asked for.
  const own = await rig.gateway.store.forAccount(rig.owner.accountId).threads.get(mine.thread.id);
  const person = callerOf(rig.url, rig.owner.token);
  const prompted = await person.post(`threads/${own?.id}/turns`, { text: 'hello' });
  for (const id of [theirs, prompted.body['turn'].id, missing]) {
    const got = await agent.get(`agent/receipts/${id}`);
    assert.equal(got.status, 404);
  }
  const listed = await agent.get('agent/sessions');
  assert.deepEqual(
    listed.body['items'].map(({ session_key: id }: { session_key: string }) => id),
    [mine.thread.id],
  );
});

test('AK1 the key of a run that is being ended, or has ended, is worth nothing', async () => {
  await using rig = await openTestGateway();
  const { key, thread, runId } = await agentKeyFor(rig, rig.owner);
  const agent = callerOf(rig.url, key);
  assert.equal((await agent.get('agent/sessions')).status, 200);
  const { threads } = rig.gateway.store.forAccount(rig.owner.accountId);
  const rows = (await threads.load(thread.id))!;
  const end = {
    runId,
    reason: 'exit',
    message: 'it ended',
    endedAtMs: 5,
    state: 'closed',
  } as const;
  const change = endRun(rows, end, { text: noText(), atMs: 5 });
  assert.ok(change);
  await threads.commit(rows, change);
  const refused = await agent.get('agent/sessions');
  assert.deepEqual([refused.status, refused.body['error'].code], [401, 'unauthorized']);
});

test('SA3 a child works in the directory of its parent or below, by real paths', async () => {
  await using rig = await openTestGateway();
  const { key } = await agentKeyFor(rig, rig.owner);
  const agent = callerOf(rig.url, key);
  await mkdir(join(rig.directory, 'inside'));
  await symlink('/', join(rig.directory, 'way-out'));
  for (const directory of [
    '/',
    '..',
    '/etc',
    'way-out',
    'way-out/etc',
    'nowhere',
    'inside/../..',
  ]) {
    const { status, body } = await agent.post('agent/sessions', { task: 'x', directory });
    assert.deepEqual([status, body['error'].code], [400, 'validation_error'], directory);
  }
  const made = await agent.post('agent/sessions', { task: 'x', directory: 'inside' });
  assert.equal(made.body['session'].directory, join(rig.directory, 'inside'));
});

test('agents spawn no deeper and no more than they may', async () => {
  const sessions = { visibility: 'tree', a2a: { isEnabled: false, allow: [] } } as const;
  const bounds = { depthMax: 1, activeMax: 2 };
  await using rig = await openTestGateway();
  const config = { ...rig.config.agents!, sessions: { ...sessions, ...bounds } };
  await using bounded = await openTestGateway({ config: { agents: config } });
  const root = await agentKeyFor(bounded, bounded.owner);
  const child = await agentKeyFor(bounded, bounded.owner, { parentId: root.thread.id });
  const deep = await callerOf(bounded.url, child.key).post('agent/sessions', { task: 'x' });
  assert.deepEqual([deep.status, deep.body['error'].code], [403, 'forbidden']);
  assert.match(deep.body['error'].message, /1 deep/);
  const agent = callerOf(bounded.url, root.key);
  assert.equal(
    (await agent.post('agent/sessions', { task: 'sleep at x' }, keyed('a'))).status,
    201,
  );
  const many = await agent.post('agent/sessions', { task: 'x' }, keyed('b'));
  assert.deepEqual([many.status, many.body['error'].code], [409, 'session_limit_reached']);
  // The same request again is no further child.
  assert.equal(
    (await agent.post('agent/sessions', { task: 'sleep at x' }, keyed('a'))).status,
    201,
  );
});

test('a token answers nothing that agents ask who were prompted by what it prompted', async () => {
  await using rig = await openTestGateway();
  const person = callerOf(rig.url, rig.owner.token);
  const body = { label: 'loop', scopes: ['read', 'run', 'approve'] };
  const { token } = (await person.post('auth/tokens', body)).body;
  const loop = callerOf(rig.url, token);
  const parent = await agentKeyFor(rig, rig.owner);
  await loop.post(`threads/${parent.thread.id}/turns`, { text: 'spawn one' });
  const agent = callerOf(rig.url, parent.key);
  const spawned = await agent.post('agent/sessions', { task: 'ask: rm x' }, keyed('a'));
  const talk = createTalk(() => person);
  talk.takeUp(spawned.body['session'].session_key);
  const asked = await talk.until(({ type }) => type === 'approval');
  const id = String(asked.payload['ask']);
  const refused = await loop.post(`asks/${id}`, { action: 'cancel' });
  assert.deepEqual([refused.status, refused.body['error'].code], [403, 'forbidden']);
  const waiting = await agent.get(`agent/sessions/${talk.id()}`);
  assert.deepEqual([waiting.body['waits_for'], waiting.body['open_asks']], ['person', 1]);
  assert.doesNotMatch(JSON.stringify(waiting.body), /option/, 'what is asked is not its matter');
  assert.equal((await person.post(`asks/${id}`, { action: 'cancel' })).status, 200);
});
