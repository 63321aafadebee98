/*
 * Many threads in one process: those in which nothing happens are forgotten, and known again when they are needed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endTurn, expectInitialize, expectNew, onPrompt, say, script } from '@clawdfather/testkit';
import { anAccount } from './support/memory-records.ts';
import { ThreadsRig } from './support/threads-rig.ts';

test('a thread goes on after hundreds of others were looked at', async (t) => {
  const rig = new ThreadsRig(
    t,
    script([
      expectInitialize(),
      expectNew(),
      onPrompt([say('one'), endTurn()]),
      onPrompt([say(' two'), endTurn()]),
    ]),
  );
  const { threads } = await rig.gateway();
  const { id, turnId } = await rig.ask(threads, 'first');
  await rig.until('the first turn has ended', () => rig.turnEnded(id, turnId));
  for (let count = 0; count < 300; count += 1) {
    const given = { agent: 'fake', cwd: rig.dir, title: 'idle' };
    const other = await threads.create(anAccount, given, { actor: 'device:1' });
    await threads.agents.closeSession({ accountId: anAccount, id: other.id });
  }
  const next = await rig.say(threads, id, 'second');
  await rig.until('the next turn has ended', () => rig.turnEnded(id, next));
  assert.equal(rig.text(id), 'one two');
});
