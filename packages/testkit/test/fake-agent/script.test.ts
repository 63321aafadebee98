/*
 * A script plays the conversation that it says: handshakes, turns, updates of every kind, cancels, and answers that no
 * well-behaved agent would give.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  background,
  endTurn,
  expectCancel,
  expectInitialize,
  expectLoad,
  expectMethod,
  expectNew,
  expectResume,
  gate,
  notify,
  onPrompt,
  plan,
  replayUser,
  respond,
  respondError,
  say,
  script,
  scriptFailedCode,
  think,
  toolCall,
  toolCallUpdate,
  update,
  usage,
} from '@clawdfather/testkit';
import { driveAgent, promptParams, shakeHands, textOf } from './drive-agent.ts';

const options = { timeout: 60_000 };
const opening = [expectInitialize(), expectNew()];
const cancel = { method: 'session/cancel', params: { sessionId: 'session-1' } };

test('a turn stands at a gate until the test lets it go', options, async (t) => {
  const steps = [...opening, onPrompt([say('hel'), gate('a'), say('lo'), endTurn()])];
  const agent = driveAgent(t, { script: script(steps) });
  assert.equal(await shakeHands(agent), 'session-1');
  const turn = agent.call('session/prompt', promptParams('hi'));
  assert.deepEqual(await agent.gate('a').reached(), [agent.pid]);
  agent.gate('a').release();
  const answer = await turn;
  assert.deepEqual(answer.result, { stopReason: 'end_turn' });
  assert.equal(textOf(agent.rest()), 'hello');
});

test('every kind of update goes out as written, known or not', options, async (t) => {
  const strange = { sessionUpdate: 'never_heard_of', deep: [{ x: null }] };
  const steps = [
    think('hm'),
    toolCall('t', 'ls'),
    toolCallUpdate('t', { status: 'completed' }),
    plan('a', 'b'),
    usage(1, 2),
    update(strange),
    update(strange, 'another-session'),
    notify('_vendor/thing', { a: 1 }),
    endTurn('max_tokens'),
  ];
  const agent = driveAgent(t, { script: script([...opening, onPrompt(steps)]) });
  await shakeHands(agent);
  const { result } = await agent.call('session/prompt', promptParams('hi'));
  assert.equal(result.stopReason, 'max_tokens');
  const said = agent.rest();
  assert.deepEqual(
    said.map(({ params }) => params.update?.sessionUpdate ?? params.a),
    [
      'agent_thought_chunk',
      'tool_call',
      'tool_call_update',
      'plan',
      'usage_update',
      'never_heard_of',
      'never_heard_of',
      1,
    ],
  );
  assert.deepEqual(said[5].params, { sessionId: 'session-1', update: strange });
  assert.equal(said[6].params.sessionId, 'another-session');
});

test(
  'load replays before it answers, resume does not; both name the session',
  options,
  async (t) => {
    const steps = [
      expectInitialize({ protocolVersion: 7 }),
      expectLoad([replayUser('hi'), say('ho')], { modes: null }),
      expectResume(),
      say('there'),
    ];
    const agent = driveAgent(t, { script: script(steps) });
    assert.equal((await agent.call('initialize')).result.protocolVersion, 7);
    const loaded = await agent.call('session/load', { sessionId: 'old' });
    assert.deepEqual(loaded.result, { modes: null });
    assert.equal((await agent.next()).params.update.sessionUpdate, 'user_message_chunk');
    assert.equal((await agent.next()).params.sessionId, 'old');
    assert.deepEqual((await agent.call('session/resume', { sessionId: 'older' })).result, {});
    assert.equal((await agent.next()).params.sessionId, 'older');
  },
);

test('a cancel ends the turn as cancelled, wherever it waits', options, async (t) => {
  const steps = [...opening, onPrompt([gate('a'), say('never')]), onPrompt([say('on'), endTurn()])];
  const agent = driveAgent(t, { script: script(steps) });
  await shakeHands(agent);
  const turn = agent.call('session/prompt', promptParams('hi'));
  await agent.gate('a').reached();
  agent.send(cancel);
  assert.equal((await turn).result.stopReason, 'cancelled');
  /* One that comes too late is skipped. */
  agent.send(cancel);
  assert.equal(
    (await agent.call('session/prompt', promptParams('x'))).result.stopReason,
    'end_turn',
  );
  assert.equal(textOf(agent.rest()), 'on');
});

test('a cancel right behind its prompt is seen', options, async (t) => {
  const agent = driveAgent(t, { script: script([...opening, onPrompt([gate('a')])]) });
  await shakeHands(agent);
  const lines = [{ id: 1, method: 'session/prompt', params: promptParams('hi') }, cancel];
  agent.sendRaw(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  assert.deepEqual((await agent.next()).result, { stopReason: 'cancelled' });
});

test('a cancel can be ignored, expected, or answered with steps', options, async (t) => {
  const steps = [
    ...opening,
    onPrompt([gate('a'), endTurn()], { onCancel: 'ignore' }),
    onPrompt([expectCancel(), say('so be it'), endTurn('cancelled')], { onCancel: 'expect' }),
    onPrompt([gate('c')], { onCancel: [say('cleaning up'), endTurn('cancelled')] }),
  ];
  const agent = driveAgent(t, { script: script(steps) });
  await shakeHands(agent);
  const ignoring = agent.call('session/prompt', promptParams('1'));
  await agent.gate('a').reached();
  agent.send(cancel);
  agent.gate('a').release();
  assert.equal((await ignoring).result.stopReason, 'end_turn');
  const expecting = agent.call('session/prompt', promptParams('2'));
  agent.send(cancel);
  assert.equal((await expecting).result.stopReason, 'cancelled');
  const cleaning = agent.call('session/prompt', promptParams('3'));
  await agent.gate('c').reached();
  agent.send(cancel);
  assert.equal((await cleaning).result.stopReason, 'cancelled');
  assert.equal(textOf(agent.rest()), 'so be itcleaning up');
});

test(
  'a prompt is answered twice, late, with an error, or under a strange id',
  options,
  async (t) => {
    const steps = [
      ...opening,
      onPrompt([endTurn(), endTurn()]),
      onPrompt([say('later')], { as: 'late' }),
      onPrompt([respondError(-32000, 'no')]),
      endTurn('refusal', { to: 'late' }),
      respond({ stray: true }, { id: 'never-used' }),
    ];
    const agent = driveAgent(t, { script: script(steps) });
    await shakeHands(agent);
    for (const id of [1, 2, 3])
      agent.send({ id, method: 'session/prompt', params: promptParams('') });
    const answers = [];
    for (let count = 0; count < 6; count += 1) answers.push(await agent.next());
    assert.deepEqual(
      answers
        .filter(({ method }) => method === undefined)
        .map(({ id, ...rest }) => [id, rest.error?.message ?? rest.result]),
      [
        [1, { stopReason: 'end_turn' }],
        [1, { stopReason: 'end_turn' }],
        [3, 'no'],
        [2, { stopReason: 'refusal' }],
        ['never-used', { stray: true }],
      ],
    );
  },
);

test('the background speaks while the script waits for a prompt', options, async (t) => {
  const steps = [...opening, background([gate('b'), say('by the way')]), onPrompt([endTurn()])];
  const agent = driveAgent(t, { script: script(steps) });
  await shakeHands(agent);
  agent.gate('b').release();
  assert.equal((await agent.next()).params.update.content.text, 'by the way');
  assert.equal(
    (await agent.call('session/prompt', promptParams('x'))).result.stopReason,
    'end_turn',
  );
});

test('some methods are answered whenever they come', options, async (t) => {
  const steps = [...opening, onPrompt([gate('a'), endTurn()])];
  const always = { 'session/set_mode': {}, 'session/list': { sessions: [] } };
  const agent = driveAgent(t, { script: script(steps, { always }) });
  assert.deepEqual((await agent.call('session/list')).result, { sessions: [] });
  await shakeHands(agent);
  const turn = agent.call('session/prompt', promptParams('x'));
  await agent.gate('a').reached();
  agent.send({ id: 'mode', method: 'session/set_mode', params: {} });
  agent.gate('a').release();
  assert.equal((await turn).result.stopReason, 'end_turn');
  assert.deepEqual(await agent.next(), { jsonrpc: '2.0', id: 'mode', result: {} });
});

test('what was not expected fails the script, and the trace says why', options, async (t) => {
  const wanted = { params: { cwd: '/there', list: [{ a: 1 }] } };
  const cases = [
    [expectMethod('session/new'), 'session/load', /expected session\/new, got session\/load/],
    [expectMethod('session/new', wanted), 'session/new', /\.cwd is "\/here", not "\/there"/],
    [gate('../x'), 'session/new', /cannot name a gate/],
    [respond({}), 'session/new', /no request/],
    [{ do: 'dance' } as never, 'session/new', /no step "dance"/],
  ] as const;
  for (const [step, method, pattern] of cases) {
    const agent = driveAgent(t, { script: script([step]) });
    agent.send({ id: 1, method, params: { cwd: '/here', list: [{ a: 1, b: 2 }] } });
    await agent.stderr(pattern);
    assert.equal(await agent.ended(), scriptFailedCode);
    assert.match(agent.trace().failed ?? '', pattern);
  }
});
