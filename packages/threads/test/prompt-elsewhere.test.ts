/*
 * Two gateways over one database: what one of them takes in for an agent that the other one holds comes to the agent soon, without anything
 * else happening in between.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  askPermission,
  createFastClock,
  endTurn,
  expectInitialize,
  expectNew,
  gate,
  onPrompt,
  say,
  script,
  type Steps,
} from '@clawdfather/testkit';
import { anAccount } from './support/memory-records.ts';
import { ThreadsRig } from './support/threads-rig.ts';

async function begin(t: TestContext, steps: readonly Steps[], clock = createFastClock(10)) {
  const first = onPrompt([say('one'), endTurn()]);
  const rig = new ThreadsRig(t, script([expectInitialize(), expectNew(), first, ...steps]));
  const owner = await rig.gateway({ clock });
  const other = await rig.gateway();
  const { id, turnId } = await rig.ask(owner.threads, 'hello');
  await rig.until('it has answered', () => rig.turnEnded(id, turnId));
  return { rig, owner, other, id };
}

test('a prompt through another gateway is answered', async (t) => {
  const { rig, other, id } = await begin(t, [onPrompt([say(' two'), endTurn()])]);
  const turnId = await rig.say(other.threads, id, 'more');
  await rig.until('it has answered', () => rig.turnEnded(id, turnId));
  assert.equal(rig.text(id), 'one two');
  rig.checkTrace(id);
});

test('a prompt that another gateway may not admit is admitted by the one that has the agent', async (t) => {
  const { rig, owner, id } = await begin(t, [onPrompt([say(' two'), endTurn()])]);
  // As one on another machine puts it in: it leaves the rest to the owner.
  const apart = new ThreadsRig(t, script([]), { database: rig.database });
  const far = await apart.gateway();
  assert.notEqual(far.supervisor.instanceId, owner.supervisor.instanceId);
  const turnId = await rig.say(far.threads, id, 'more');
  await rig.until('it has answered', () => rig.turnEnded(id, turnId));
  assert.equal(rig.text(id), 'one two');
});

test('a cancel and an answer through another gateway come to the agent', async (t) => {
  const asking = onPrompt([askPermission('rm x', { as: 'p' }), say(' two'), gate('never')]);
  const { rig, other, id } = await begin(t, [asking], createFastClock(1));
  const turnId = await rig.say(other.threads, id, 'more');
  const openAsk = () =>
    [...(rig.database.threads.get(id)?.asks.values() ?? [])].find(({ state }) => state === 'open');
  await rig.until('it asks', () => openAsk() !== undefined);
  const answer = { kind: 'cancel' } as const;
  const by = { actor: 'device:2' };
  await other.threads.answer(anAccount, openAsk()?.id ?? '', { answer, by });
  await rig.until('it goes on', () => rig.text(id) === 'one two');
  await other.threads.agents.cancelTurn(anAccount, turnId, by);
  await rig.until('it has ended', () => rig.turnEnded(id, turnId));
  assert.equal(rig.database.threads.get(id)?.turns.get(turnId)?.status, 'cancelled');
});
