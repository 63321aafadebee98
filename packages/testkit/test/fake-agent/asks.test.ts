/*
 * What the agent asks of its client, in and outside of turns, under ordinary and awkward ids.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ask,
  askPermission,
  awaitAnswer,
  createTerminal,
  elicit,
  endTurn,
  expectInitialize,
  expectNew,
  onPrompt,
  readTextFile,
  say,
  sayAnswer,
  script,
  scriptFailedCode,
  withdraw,
  writeTextFile,
} from '@clawdfather/testkit';
import { driveAgent, promptParams, shakeHands, textOf } from './drive-agent.ts';

const options = { timeout: 60_000 };
const opening = [expectInitialize(), expectNew()];
const allowed = { outcome: { outcome: 'selected', optionId: 'allow-once' } };

test(
  'each request carries the session, is numbered from 0 and waits for its answer',
  options,
  async (t) => {
    const steps = [
      askPermission('ls', { as: 'p', answer: { result: { outcome: { optionId: 'allow-once' } } } }),
      elicit('Which?'),
      readTextFile('/a'),
      writeTextFile('/a', 'b'),
      createTerminal('ls', ['-l']),
      ask('never/heard_of', { x: 1 }, { as: 'unknown' }),
      sayAnswer('p'),
      sayAnswer('unknown'),
      endTurn(),
    ];
    const agent = driveAgent(t, { script: script([...opening, onPrompt(steps)]) });
    await shakeHands(agent);
    agent.send({ id: 'turn', method: 'session/prompt', params: promptParams('x') });
    const methods = [
      'session/request_permission',
      'elicitation/create',
      'fs/read_text_file',
      'fs/write_text_file',
      'terminal/create',
      'never/heard_of',
    ];
    for (const [id, method] of methods.entries()) {
      const asked = await agent.next();
      assert.deepEqual([asked.id, asked.method, asked.params.sessionId], [id, method, 'session-1']);
      if (method === 'never/heard_of') agent.send({ id, error: { code: -32601, message: 'no' } });
      else agent.send({ id, result: allowed });
    }
    const said = [await agent.next(), await agent.next()];
    const unknown = { error: { code: -32601, message: 'no' } };
    assert.equal(textOf(said), JSON.stringify({ result: allowed }) + JSON.stringify(unknown));
    assert.deepEqual((await agent.next()).id, 'turn');
  },
);

test('it asks outside a turn', options, async (t) => {
  const steps = [
    ...opening,
    onPrompt([endTurn()]),
    askPermission('late', { as: 'p' }),
    sayAnswer('p'),
  ];
  const agent = driveAgent(t, { script: script(steps) });
  await shakeHands(agent);
  await agent.call('session/prompt', promptParams('x'));
  const asked = await agent.next();
  assert.equal(asked.params.toolCall.title, 'late');
  agent.send({ id: asked.id, result: allowed });
  assert.match(textOf([await agent.next()]), /allow-once/);
});

test('ids may be strings and may be used again; answers go to the oldest', options, async (t) => {
  const steps = [
    ask('a', {}, { id: 'seven', as: 'a', isLeftOpen: true }),
    ask('b', {}, { id: 7, as: 'b', isLeftOpen: true }),
    ask('c', {}, { id: 7, as: 'c', isLeftOpen: true }),
    ask('d', {}, { id: '7', as: 'd', isLeftOpen: true }),
    ...['a', 'b', 'c', 'd'].map(sayAnswer),
  ];
  const agent = driveAgent(t, { script: script(steps) });
  for (const id of ['seven', 7, 7, '7']) assert.equal((await agent.next()).id, id);
  for (const [id, result] of [
    ['7', 4],
    [7, 2],
    [7, 3],
    ['seven', 1],
  ])
    agent.send({ id, result });
  for (const result of [1, 2, 3, 4])
    assert.equal(textOf([await agent.next()]), JSON.stringify({ result }));
});

test('a request is withdrawn, and its answer may still be waited for', options, async (t) => {
  const steps = [
    askPermission('x', { as: 'p', isLeftOpen: true }),
    withdraw('p'),
    awaitAnswer('p', { error: { code: -32800 } }),
    say('done'),
  ];
  const agent = driveAgent(t, { script: script(steps) });
  const { id } = await agent.next();
  const { method, params } = await agent.next();
  assert.deepEqual([method, params], ['$/cancel_request', { requestId: id }]);
  agent.send({ id, error: { code: -32800, message: 'cancelled' } });
  assert.equal(textOf([await agent.next()]), 'done');
});

test('a wrong answer fails the script', options, async (t) => {
  const agent = driveAgent(t, { script: script([ask('a', {}, { answer: { result: [1, 2] } })]) });
  const { id } = await agent.next();
  agent.send({ id, result: [1, 3] });
  await agent.stderr(/\[1\] is 3, not 2/);
  assert.equal(await agent.ended(), scriptFailedCode);
});
