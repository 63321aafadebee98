/*
 * An agent that does not read its input: what waits for it there keeps nobody from cancelling its turn or ending it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createFastClock,
  endTurn,
  expectInitialize,
  expectNew,
  gate,
  onPrompt,
  pauseInput,
  say,
  script,
} from '@clawdfather/testkit';
import { anAccount } from './support/memory-records.ts';
import { ThreadsRig } from './support/threads-rig.ts';

/* As much as a prompt may have: more than the pipe and the shim hold. */
const large = 'x'.repeat(1_000_000);

test('W13: a turn whose prompt is never read can be cancelled, and its agent is ended', async (t) => {
  const deaf = [onPrompt([say('one'), pauseInput(), endTurn()]), gate('never')];
  const rig = new ThreadsRig(t, script([expectInitialize(), expectNew(), ...deaf]));
  const { threads } = await rig.gateway({ clock: createFastClock(10) });
  const { id, turnId } = await rig.ask(threads, 'hello');
  await rig.until('the first turn has ended', () => rig.turnEnded(id, turnId));
  const second = await rig.say(threads, id, large);
  const promptOf = () => rig.database.threads.get(id)?.turns.get(second)?.promptCall;
  await rig.until('it is prompted', () => promptOf() !== undefined);
  await threads.agents.cancelTurn(anAccount, second, { actor: 'device:1' });
  await rig.until('the turn has ended', () => rig.turnEnded(id, second));
  assert.equal(rig.database.threads.get(id)?.turns.get(second)?.status, 'interrupted');
  await rig.until('its lease has ended', () => rig.endedLeases(id).length > 0);
});

test('AP6: an agent that never reads is closed when its session is', async (t) => {
  const deaf = [onPrompt([say('one'), pauseInput(), endTurn()]), gate('never')];
  const rig = new ThreadsRig(t, script([expectInitialize(), expectNew(), ...deaf]));
  const { threads } = await rig.gateway({ clock: createFastClock(10) });
  const { id, turnId } = await rig.ask(threads, 'hello');
  await rig.until('the first turn has ended', () => rig.turnEnded(id, turnId));
  const second = await rig.say(threads, id, large);
  const promptOf = () => rig.database.threads.get(id)?.turns.get(second)?.promptCall;
  await rig.until('it is prompted', () => promptOf() !== undefined);
  await threads.agents.closeSession({ accountId: anAccount, id });
  await rig.until('its lease has ended', () => rig.endedLeases(id).length > 0);
});
