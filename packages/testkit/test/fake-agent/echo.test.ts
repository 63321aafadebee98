/*
 * Without a script the agent behaves: it echoes, does the simple things it is asked for, and remembers its sessions.
 */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  driveAgent,
  promptParams,
  shakeHands,
  temporaryDirectory,
  textOf,
  type DrivenAgent,
} from './drive-agent.ts';

const options = { timeout: 60_000 };
const inSession = { sessionId: 'session-1' };

async function prompt(agent: DrivenAgent, text: string): Promise<unknown> {
  const answer = await agent.call('session/prompt', promptParams(text));
  return answer.result?.stopReason ?? answer.error.message;
}

/* What came before the answers that were waited for. */
async function heard(agent: DrivenAgent): Promise<readonly string[]> {
  const kinds: string[] = [];
  for (let left = agent.rest().length; left > 0; left -= 1) {
    const { params } = await agent.next();
    const { sessionUpdate, content, status } = params.update;
    kinds.push([sessionUpdate, content?.text ?? status].filter(Boolean).join(' '));
  }
  return kinds;
}

test('it echoes in several chunks, to the letter, and tells its usage', options, async (t) => {
  const agent = driveAgent(t);
  await shakeHands(agent);
  const text = 'Grüße 😀😀\n\n  a line\nend\n';
  assert.equal(await prompt(agent, text), 'end_turn');
  assert.equal(textOf(agent.rest()), text);
  assert.ok(agent.rest().length > 5);
  assert.equal(agent.rest().at(-1).params.update.sessionUpdate, 'usage_update');
});

test('it does what the prompt says, line by line', options, async (t) => {
  const agent = driveAgent(t);
  await shakeHands(agent);
  assert.equal(await prompt(agent, 'think: hm\nplan: a, b\ntool: ls\nsay 2 words'), 'end_turn');
  assert.deepEqual(await heard(agent), [
    'agent_thought_chunk hm',
    'plan',
    'tool_call pending',
    'tool_call_update completed',
    'agent_message_chunk word-1',
    'agent_message_chunk  word-2',
    'usage_update',
  ]);
  assert.equal(await prompt(agent, 'fail: no disk'), 'no disk');
  const sleeping = prompt(agent, 'sleep at night');
  await agent.gate('night').reached();
  agent.gate('night').release();
  assert.equal(await sleeping, 'end_turn');
});

test('it asks, and goes by the option that was chosen', options, async (t) => {
  const agent = driveAgent(t);
  await shakeHands(agent);
  const result = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
  for (const [line, answer, said, status] of [
    ['ask: rm', { result: result('allow') }, 'rm: allow\n', 'completed'],
    ['ask: rm', { result: result('reject') }, 'rm: reject\n', 'failed'],
    ['ask: rm', { error: { code: -32601, message: '' } }, 'rm: no answer\n', 'failed'],
    [
      'question: Who?',
      { result: { action: 'accept', content: { value: 'me' } } },
      'Who?: me\n',
      '',
    ],
  ] as const) {
    agent.send({ id: 'turn', method: 'session/prompt', params: promptParams(line) });
    const messages = [];
    for (let message = await agent.next(); message.id !== 'turn'; message = await agent.next()) {
      messages.push(message);
      if (message.method !== 'session/update') agent.send({ id: message.id, ...answer });
    }
    assert.equal(textOf(messages), said);
    if (status !== '') assert.equal(messages.at(-2).params.update.status, status);
  }
});

test('prompts of a session are played one after the other', options, async (t) => {
  const agent = driveAgent(t);
  await shakeHands(agent);
  const prompts = { a: 'sleep at night\nfirst ', b: 'second' };
  for (const [id, text] of Object.entries(prompts))
    agent.send({ id, method: 'session/prompt', params: promptParams(text) });
  await agent.gate('night').reached();
  await agent.traced(({ lines }) => lines.length === 4);
  agent.gate('night').release();
  const messages = [];
  for (let left = 2; left > 0; ) {
    messages.push(await agent.next());
    if (messages.at(-1).id !== undefined) left -= 1;
  }
  assert.equal(textOf(messages), 'first second');
});

test('a cancel ends the turn that is played and those that wait', options, async (t) => {
  const agent = driveAgent(t);
  await shakeHands(agent);
  const ids = ['a', 'b'];
  for (const id of ids)
    agent.send({ id, method: 'session/prompt', params: promptParams('sleep at night') });
  await agent.gate('night').reached();
  agent.send({ method: 'session/cancel', params: inSession });
  for (const id of ids)
    assert.deepEqual(await agent.next(), {
      jsonrpc: '2.0',
      id,
      result: { stopReason: 'cancelled' },
    });
  assert.equal(await prompt(agent, 'again'), 'end_turn');
});

test(
  'another process loads or resumes what one has kept, also after a crash',
  options,
  async (t) => {
    const sessions = join(temporaryDirectory(t), 'sessions');
    const first = driveAgent(t, { sessions });
    const capabilities = (await first.call('initialize')).result.agentCapabilities;
    assert.deepEqual(
      [capabilities.loadSession, capabilities.sessionCapabilities.resume],
      [true, {}],
    );
    await first.call('session/new');
    await prompt(first, 'remember me');
    assert.deepEqual(
      (await first.call('session/set_mode', { ...inSession, modeId: 'code' })).result,
      {},
    );
    first.send({ id: 1, method: 'session/prompt', params: promptParams('crash') });
    assert.equal(await first.ended(), 'SIGKILL');

    const second = driveAgent(t, { sessions });
    const loaded = await second.call('session/load', inSession);
    assert.equal(loaded.result.modes.currentModeId, 'code');
    assert.deepEqual(await heard(second), [
      'user_message_chunk remember me',
      'agent_message_chunk remember me',
      'user_message_chunk crash',
    ]);
    assert.equal((await second.call('session/new')).result.sessionId, 'session-2');
    assert.deepEqual((await second.call('session/close', inSession)).result, {});

    const third = driveAgent(t, { sessions });
    assert.equal(
      (await third.call('session/resume', inSession)).result.modes.currentModeId,
      'code',
    );
    assert.deepEqual(third.rest(), []);
    assert.deepEqual(readdirSync(sessions).toSorted(), ['session-1.jsonl', 'session-2.jsonl']);
  },
);

test('it refuses what it does not know, and leaves noise alone', options, async (t) => {
  const dir = temporaryDirectory(t);
  writeFileSync(join(dir, 'outside.jsonl'), '');
  const agent = driveAgent(t, { sessions: join(dir, 'sessions') });
  await shakeHands(agent);
  agent.sendRaw('what?\n[1]\n{"id":5}\n');
  for (const [method, params, code] of [
    ['session/nonsense', {}, -32601],
    ['session/load', { sessionId: '../outside' }, -32002],
    ['session/resume', { sessionId: 'session-9' }, -32002],
    ['session/set_mode', { ...inSession, modeId: 'fly' }, -32602],
  ] as const)
    assert.equal((await agent.call(method, params)).error.code, code);
  assert.deepEqual(agent.rest(), []);
});

test('at the end of its input it finishes what it can', options, async (t) => {
  const agent = driveAgent(t);
  agent.send({ id: 1, method: 'session/new', params: {} });
  agent.send({ id: 2, method: 'session/prompt', params: promptParams('say 5000 words') });
  agent.send({ id: 3, method: 'session/prompt', params: promptParams('ask: nobody') });
  agent.endInput();
  assert.equal(await agent.ended(), 0);
  const said = agent.rest();
  assert.match(textOf(said), / word-5000$/);
  assert.ok(said.some(({ id, result }) => id === 2 && result.stopReason === 'end_turn'));
  assert.ok(!said.some(({ id }) => id === 3));
});
