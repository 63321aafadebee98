/*
 * A mode and a model for an agent, over the API: chosen with a thread and later, kept through kills of the gateway and the loss of the agent,
 * offered before there is a session, and chosen by a person.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ApiCaller, callerOf } from '../fixtures/api-caller.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { createTalk, isEndOf } from './talk.ts';

type Talk = ReturnType<typeof createTalk>;

/* The echoing agent says what it was prompted with. */
async function saidChoices(talk: Talk): Promise<string> {
  const turn = await talk.say('say choices');
  assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
  return talk.textOf(turn);
}

async function threadOf(me: ApiCaller, talk: Talk) {
  const { thread } = (await me.get(`threads/${talk.id()}`)).body;
  const current = thread.current_choices.map(
    ({ id, value }: { id: string; value: string }) => `${id}=${value}`,
  );
  return { chosen: thread.chosen, current: current.toSorted() };
}

test('what was chosen holds through kills of the gateway and the loss of the agent', {
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-choices-'));
  let gateway = await startGatewayProcess(directory);
  const restart = async (): Promise<void> => {
    await gateway.end('SIGKILL');
    gateway = await startGatewayProcess(directory);
  };
  try {
    const talk = createTalk(() => gateway.me);
    const none = (await gateway.me.get('agents/echo/choices')).body;
    assert.deepEqual(none, { items: [], seen_at: null }, 'no session has answered yet');
    await talk.begin({ chosen: { mode: 'code', model: 'Echo large' } });
    assert.equal(await saidChoices(talk), 'code large');
    const path = `threads/${talk.id()}`;
    assert.equal((await gateway.me.patch(path, { chosen: { mode: 'ask' } })).status, 200);
    await restart();
    assert.equal(await saidChoices(talk), 'ask large');
    await talk.until(isEndOf(await talk.say('crash')));
    await restart();
    assert.equal(await saidChoices(talk), 'ask large', 'another process, another session');
    assert.deepEqual(await threadOf(gateway.me, talk), {
      chosen: { mode: 'ask', model: 'Echo large' },
      current: ['mode=ask', 'model=large'],
    });
    // What the agent leaves itself is not forced upon it again.
    await talk.until(isEndOf(await talk.say('mode: code')));
    assert.equal(await saidChoices(talk), 'code large');
    assert.deepEqual((await threadOf(gateway.me, talk)).chosen, { model: 'Echo large' });
    const told = talk.events.find(({ payload }) => payload['event'] === 'choice-changed');
    assert.equal(told?.payload['message'], 'The agent changed Mode to “code”.');
  } finally {
    await gateway.end('SIGKILL');
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
});

test('what an agent offers is known before the next thread, and of nobody else', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin({ chosen: { mode: 'fly' } });
  const { event, result } = (await talk.until(isEndOf(await talk.say('say choices')))).payload;
  assert.deepEqual(
    [event, result],
    [
      'failed',
      {
        code: 'error',
        cause: 'choice-not-set',
        message:
          'Mode “fly” could not be set: the agent does not offer it. It is “ask”. Nothing was sent to the agent: choose another mode, or send the message again.',
      },
    ],
  );
  await me.patch(`threads/${talk.id()}`, { chosen: { mode: null } });
  assert.equal(await saidChoices(talk), 'ask small');
  const { items, seen_at: seenAt } = (await me.get('agents/echo/choices')).body;
  assert.equal(typeof seenAt, 'string');
  assert.deepEqual(
    items.map(({ id, values }: { id: string; values: readonly { value: string }[] }) => [
      id,
      ...values.map(({ value }) => value),
    ]),
    [
      ['model', 'small', 'large'],
      ['mode', 'ask', 'code'],
    ],
  );
  assert.deepEqual((await me.get(`threads/${talk.id()}/choices`)).body['items'], items);
  const other = callerOf(rig.url, rig.other.token);
  assert.deepEqual((await other.get('agents/echo/choices')).body['items'], []);
  const path = `threads/${talk.id()}`;
  assert.equal((await other.patch(path, { chosen: { mode: 'code' } })).status, 404);
  for (const chosen of [{ 'a\u0000': 'x' }, { mode: '' }, { mode: 'x'.repeat(300) }, ['x']]) {
    assert.equal((await me.patch(path, { chosen })).status, 400, JSON.stringify(chosen));
  }
});

test('what is chosen with a message is chosen if the message is taken, once', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin({ chosen: { mode: 'ask' } });
  const path = `threads/${talk.id()}`;
  const say = (message: object) => me.post(`${path}/turns`, { text: 'say choices', ...message });
  const first = { client_message_id: 'one', chosen: { mode: 'code' } };
  const { turn } = (await say(first)).body;
  await talk.until(isEndOf(turn.id));
  assert.equal(talk.textOf(turn.id), 'code small');
  // As after a lost answer: what was chosen since stays.
  await me.patch(path, { chosen: { mode: 'ask' } });
  assert.equal((await say(first)).body['turn'].id, turn.id);
  assert.deepEqual((await threadOf(me, talk)).chosen, { mode: 'ask' });
  const reused = await say({ ...first, chosen: { mode: 'ask' } });
  assert.equal(reused.body['error'].code, 'key_reused', 'another choice is another message');
  assert.equal((await me.post(`${path}/archive`)).status, 200);
  assert.equal((await say({ chosen: { mode: 'code' } })).body['error'].code, 'thread_archived');
  assert.deepEqual((await threadOf(me, talk)).chosen, { mode: 'ask' });
  const { entries } = (await me.get('audit?limit=100')).body;
  const choices = entries.filter(({ action }: { action: string }) => action === 'thread.choose');
  assert.equal(choices.length, 2);
});

test('what an agent that is not there offers is not told as nothing', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const missing = await me.get('agents/ecco/choices');
  assert.equal(missing.status, 404);
  assert.equal(missing.body['error'].code, 'not_found');
  assert.equal(missing.body['error'].hint, 'did you mean echo?');
  // Built in, and not installed here.
  const unused = await me.get('agents/opencode/choices');
  assert.deepEqual(unused.body, { items: [], seen_at: null });
});

test('a mode is chosen by a person, and a token chooses a model', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const made = { label: 'program', scopes: ['read', 'run', 'approve'] };
  const { token } = (await me.post('auth/tokens', made)).body;
  const program = callerOf(rig.url, token);
  const talk = createTalk(() => program);
  const refused = await program.post('threads', { agent: 'echo', chosen: { mode: 'code' } });
  assert.equal(refused.body['error'].code, 'forbidden');
  await talk.begin({ chosen: { model: 'large' } });
  const path = `threads/${talk.id()}`;
  for (const chosen of [{ mode: 'code' }, { mode: null }, { permissions: 'all' }]) {
    assert.equal((await program.patch(path, { chosen })).status, 403, JSON.stringify(chosen));
  }
  const said = { text: 'say choices', chosen: { mode: 'code' } };
  assert.equal((await program.post(`${path}/turns`, said)).status, 403);
  assert.equal(await saidChoices(talk), 'ask large');
  await me.patch(path, { chosen: { mode: 'code' } });
  assert.equal(await saidChoices(talk), 'code large');
  const { entries } = (await me.get('audit?limit=100')).body;
  const choices = entries.filter(({ action }: { action: string }) => action === 'thread.choose');
  assert.equal(choices.length, 1);
  assert.match(choices[0].actor, /^device:/);
});
