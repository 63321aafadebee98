/*
 * Two gateways over one database: each keeps rows in memory, and neither refuses what the other one's changes allow.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createFastClock,
  endTurn,
  expectCancel,
  expectInitialize,
  expectNew,
  expectResume,
  gate,
  onPrompt,
  say,
  script,
} from '@clawdfather/testkit';
import { anAccount } from './support/memory-records.ts';
import { ThreadsRig } from './support/threads-rig.ts';

const oneAtATime = { activeMax: 1, waitingMax: 100, waitMsMax: 3_600_000 };

test('what was kept in memory is no reason to refuse what is stored', async (t) => {
  const rig = new ThreadsRig(
    t,
    script([expectInitialize(), expectNew(), onPrompt([say('one'), gate('never')])]),
  );
  const owner = await rig.gateway();
  const other = await rig.gateway();
  const { id } = await owner.threads.create(
    anAccount,
    { agent: 'fake', cwd: rig.dir, title: '' },
    { actor: 'device:1' },
  );
  // The other one looks while there is nothing, and keeps what it saw.
  await other.threads.agents.closeSession({ accountId: anAccount, id });
  const turnId = await rig.say(owner.threads, id, 'count');
  await rig.until('it speaks', () => rig.text(id) === 'one');
  assert.equal(
    await other.threads.agents.cancelTurn(anAccount, turnId, { actor: 'device:2' }),
    true,
  );
  assert.equal(
    await other.threads.agents.cancelTurn(anAccount, turnId, { actor: 'device:2' }),
    false,
    'but once',
  );
});

test('one message that comes ten times at the same moment, at both of them, is one turn', async (t) => {
  const rig = new ThreadsRig(
    t,
    script([expectInitialize(), expectNew(), onPrompt([say('one'), gate('never')])]),
  );
  const both = [await rig.gateway(), await rig.gateway()];
  const given = { agent: 'fake', cwd: rig.dir, title: '' };
  const by = { actor: 'device:1' };
  const { id } = await both[0]!.threads.create(anAccount, given, by);
  const sent = Array.from({ length: 10 }, (_, index) =>
    rig.sayOnce(both[index % 2]!.threads, id, 'count'),
  );
  assert.equal(new Set(await Promise.all(sent)).size, 1);
  assert.equal(rig.database.threads.get(id)?.turns.size, 1);
});

test('that another one has its agent now is no change of a thread', async (t) => {
  const rig = new ThreadsRig(
    t,
    script([expectInitialize(), expectNew(), onPrompt([say('one'), endTurn()])]),
  );
  const first = await rig.gateway();
  const { id, turnId } = await rig.ask(first.threads, 'count');
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  const { epoch } = await rig.runningAgent(id);
  await first.lose();
  const changedAtMs = rig.database.threads.get(id)?.thread.updatedAtMs;
  const next = await rig.gateway();
  await next.threads.takeUp();
  await rig.until('it has a new owner', () => (rig.lease(id)?.epoch ?? 0) > epoch);
  assert.equal(rig.database.threads.get(id)?.thread.updatedAtMs, changedAtMs);
});

test('a turn is let in by what is stored of its agent, not by what was known of it', async (t) => {
  const answers = [onPrompt([endTurn()]), onPrompt([endTurn()])];
  const rig = new ThreadsRig(t, script([expectInitialize(), expectNew(), ...answers]));
  const clock = createFastClock(10);
  const owner = await rig.gateway({ clock, limits: { gateway: oneAtATime } });
  const apart = new ThreadsRig(
    t,
    script([expectInitialize(), expectResume(), onPrompt([endTurn()])]),
    { database: rig.database },
  );
  const other = await apart.gateway();
  const { id, turnId } = await rig.ask(owner.threads, 'one');
  await rig.until('the first turn has ended', () => rig.turnEnded(id, turnId));
  // The other one takes a prompt in while the owner has the agent, and keeps that it has.
  const second = await rig.say(other.threads, id, 'two');
  await rig.until('the second turn has ended', () => rig.turnEnded(id, second));
  await owner.threads.agents.closeSession({ accountId: anAccount, id });
  await rig.until('its agent has ended', () => rig.lease(id) === undefined);
  // The owner has no room any more.
  rig.play(script([expectInitialize(), expectNew(), onPrompt([say('busy'), gate('never')])]));
  const busy = await rig.ask(owner.threads, 'stay');
  await rig.until('the owner is busy', () => rig.text(busy.id) === 'busy');
  const third = await rig.say(owner.threads, id, 'three');
  await other.threads.takeUp();
  await rig.until('the third turn has ended', () => rig.turnEnded(id, third));
});

test('a turn that another one has keeps its session open there alone', async (t) => {
  const steps = [say('one'), expectCancel(), endTurn('cancelled')];
  const rig = new ThreadsRig(t, script([expectInitialize(), expectNew(), onPrompt(steps)]), {
    sessionId: 'a-session',
  });
  const owner = await rig.gateway();
  const other = await new ThreadsRig(t, script([]), { database: rig.database }).gateway();
  const { id, turnId } = await rig.ask(owner.threads, 'count');
  await rig.until('it speaks', () => rig.text(id) === 'one');
  assert.deepEqual(owner.threads.withTurns(), [{ accountId: anAccount, id: 'a-session' }]);
  await other.threads.agents.cancelTurn(anAccount, turnId, { actor: 'device:2' });
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.deepEqual(other.threads.withTurns(), []);
});
