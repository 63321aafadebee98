/*
 * What a person has chosen for an agent: it is set before a prompt, once, in every session of the thread. An agent that does not take a mode
 * gets no prompt; one that does not take a model gets it all the same.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  endTurn,
  exitWith,
  expectInitialize,
  expectMethod,
  gate,
  onPrompt,
  openGate,
  respond,
  respondError,
  say,
  script,
  update,
} from '@clawdfather/testkit';
import {
  by,
  optionsWith,
  setMode,
  setLarge,
  begin,
  turn,
  threadWith,
  saidAll,
  failedAll,
  currentOf,
  chosenOf,
  messageOf,
} from './support/choosing-agent.ts';
import { anAccount } from './support/memory-records.ts';
import { ThreadsRig } from './support/threads-rig.ts';

test('what was chosen is set before the prompt, the model first, in the way that the agent has for it', async (t) => {
  const rig = new ThreadsRig(
    t,
    script([begin, ...setLarge, ...setMode('code', respond({})), turn, turn, gate('never')]),
  );
  const { threads } = await rig.gateway();
  const id = await threadWith(rig, threads, { mode: 'Code', model: 'large' });
  await saidAll(rig, threads, id);
  assert.deepEqual(currentOf(rig, id), { llm: 'large', mode: 'code' });
  // It is set, so nothing is set again.
  await saidAll(rig, threads, id);
  assert.deepEqual(chosenOf(rig, id), { mode: 'Code', model: 'large' });
  assert.equal(rig.text(id), 'donedone');
  rig.checkTrace(id);
});

test('a model that an agent refuses, or does not offer, is told, and the prompt goes out', async (t) => {
  const refused = [
    expectMethod('session/set_config_option', { params: { configId: 'llm', value: 'large' } }),
    respondError(-32602, 'not\u0000 today.'),
  ];
  const rig = new ThreadsRig(t, script([begin, ...refused, turn, turn, gate('never')]));
  const { threads } = await rig.gateway();
  const id = await threadWith(rig, threads, { thought_level: 'high', model: 'large' });
  await saidAll(rig, threads, id);
  const told = rig
    .events(id)
    .filter(({ payload }) => payload['event'] === 'choice-refused')
    .map(({ payload: { message } }) => message);
  assert.deepEqual(told, [
    'Model “Large” could not be set: not today. It goes on with Small.',
    'thought_level “high” could not be set: the agent does not offer this choice.',
  ]);
  assert.equal(chosenOf(rig, id), undefined, 'it is not tried again');
  await saidAll(rig, threads, id);
  rig.checkTrace(id);
});

test('a mode that an agent refuses, or does not offer, fails the turn without a prompt and stays chosen', async (t) => {
  const refused = setMode('plan', respondError(-32602, 'not today'));
  const rig = new ThreadsRig(
    t,
    script([begin, ...refused, ...setMode('plan', respond({})), turn, gate('never')]),
  );
  const { threads } = await rig.gateway();
  const id = await threadWith(rig, threads, { mode: 'plan', model: 'large' });
  const name = { accountId: anAccount, id };
  await threads.choose(name, { chosen: { mode: 'fly', model: null }, by });
  assert.equal(
    await failedAll(rig, threads, id),
    'Mode “fly” could not be set: the agent does not offer it. It is “Ask”. Nothing was sent to the agent: choose another mode, or send the message again.',
  );
  await threads.choose(name, { chosen: { mode: 'plan' }, by });
  assert.match(await failedAll(rig, threads, id), /^Mode “Plan” could not be set: not today\. /);
  assert.deepEqual(chosenOf(rig, id), { mode: 'plan' });
  await saidAll(rig, threads, id);
  assert.deepEqual(currentOf(rig, id), { llm: 'small', mode: 'plan' });
  rig.checkTrace(id);
});

test('what is chosen while another value is set comes next, before the prompt', async (t) => {
  const rig = new ThreadsRig(
    t,
    script([
      begin,
      ...setMode('code', gate('first'), respond({})),
      ...setMode('plan', gate('second'), respondError(-1, 'no')),
      ...setMode('ask', respond({})),
      turn,
      gate('never'),
    ]),
  );
  const { threads } = await rig.gateway();
  const id = await threadWith(rig, threads, { mode: 'code' });
  const name = { accountId: anAccount, id };
  const turnId = await rig.say(threads, id, 'hello');
  const isTold = (value: string) => () => rig.lease(id)?.setting?.call?.value === value;
  await rig.until('it was told', isTold('code'));
  await threads.choose(name, { chosen: { mode: 'plan' }, by });
  openGate(rig.gates, 'first').release();
  await rig.until('it was told the other one', isTold('plan'));
  await threads.choose(name, { chosen: { mode: 'ask' }, by });
  openGate(rig.gates, 'second').release();
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.equal(rig.text(id), 'done');
  assert.deepEqual(chosenOf(rig, id), { mode: 'ask' });
  assert.deepEqual(currentOf(rig, id), { llm: 'small', mode: 'ask' });
  rig.checkTrace(id);
});

test('an agent that says nothing of its modes when it takes up a conversation is told again, and they stay known', async (t) => {
  const once = script([begin, ...setMode('code', respond({})), turn, exitWith(0)]);
  const rig = new ThreadsRig(t, once);
  const { threads } = await rig.gateway();
  const id = await threadWith(rig, threads, { mode: 'code' });
  await saidAll(rig, threads, id);
  await rig.until('the agent has ended', () => rig.lease(id) === undefined);
  const resumed = [expectInitialize(), expectMethod('session/resume'), respond(null)];
  rig.play(script([...resumed, ...setMode('code', respond({})), turn, gate('never')]));
  await saidAll(rig, threads, id);
  assert.deepEqual(currentOf(rig, id), { llm: 'small', mode: 'code' });
  const known = (await rig.database.records.offered('fake'))?.choices ?? [];
  assert.deepEqual(
    known.map(({ values }) => values.length),
    [2, 3],
  );
});

test('a change of the agent itself is told and holds, and what was chosen since is set before the next turn', async (t) => {
  const leave = update({ sessionUpdate: 'current_mode_update', currentModeId: 'code' });
  const other = update({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' }, 'child');
  const rig = new ThreadsRig(
    t,
    script([
      begin,
      ...setMode(
        'plan',
        update({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' }),
        respond({}),
      ),
      onPrompt([leave, other, say('left'), gate('more'), endTurn()]),
      turn,
      ...setLarge,
      turn,
      gate('never'),
    ]),
  );
  const { threads } = await rig.gateway();
  const id = await threadWith(rig, threads, { mode: 'plan' });
  const turnId = await rig.say(threads, id, 'hello');
  await rig.until('it has left', () => rig.text(id) === 'left');
  assert.deepEqual(currentOf(rig, id), { llm: 'small', mode: 'code' });
  assert.equal(messageOf(rig, id, 'choice-changed'), 'The agent changed Mode to “Code”.');
  assert.equal(chosenOf(rig, id), undefined);
  openGate(rig.gates, 'more').release();
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  await saidAll(rig, threads, id);
  const name = { accountId: anAccount, id };
  await threads.choose(name, { chosen: { model: 'large' }, by });
  await threads.choose(name, { chosen: { llm: 'large', mode: null }, by });
  assert.deepEqual(chosenOf(rig, id), { llm: 'large' }, 'by its id it is the same choice');
  assert.equal(messageOf(rig, id, 'chosen'), 'Model: “Large”, from the next turn on.');
  await saidAll(rig, threads, id);
  rig.checkTrace(id);
});

test('choices that do not go together are each set once, and people are told which is left', async (t) => {
  const undone = update({
    sessionUpdate: 'config_option_update',
    configOptions: optionsWith('small'),
  });
  const rig = new ThreadsRig(
    t,
    script([
      begin,
      ...setLarge,
      ...setMode('code', undone, respond({})),
      turn,
      turn,
      gate('never'),
    ]),
  );
  const { threads } = await rig.gateway();
  const id = await threadWith(rig, threads, { mode: 'code', model: 'large' });
  await saidAll(rig, threads, id);
  assert.equal(
    messageOf(rig, id, 'choice-refused'),
    'Model “Large” could not be set: another choice has changed it again. It goes on with Small.',
  );
  assert.deepEqual(chosenOf(rig, id), { mode: 'code' });
  await saidAll(rig, threads, id);
  rig.checkTrace(id);
});
