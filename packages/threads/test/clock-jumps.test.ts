/*
 * The wall clock jumps while an agent is waited for: what may take ten seconds takes ten seconds (W13), and no agent is ended for a jump.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Clock } from '@clawdfather/kit';
import {
  createFastClock,
  endTurn,
  expectInitialize,
  expectNew,
  gate,
  onPrompt,
  openGate,
  say,
  script,
} from '@clawdfather/testkit';
import { anAccount } from './support/memory-records.ts';
import { ThreadsRig } from './support/threads-rig.ts';

const hourMs = 3_600_000;

function createJumpyClock(factor: number): Clock & { jump(ms: number): void } {
  const steady = createFastClock(factor);
  let aheadMs = 0;
  return {
    ...steady,
    wallMs: () => steady.wallMs() + aheadMs,
    jump: (ms) => {
      aheadMs += ms;
    },
  };
}

async function cancelled(t: TestContext, factor: number) {
  const stopping = onPrompt([say('one'), gate('stop'), endTurn('cancelled')], {
    onCancel: 'ignore',
  });
  const rig = new ThreadsRig(t, script([expectInitialize(), expectNew(), stopping, gate('never')]));
  const clock = createJumpyClock(factor);
  const { threads } = await rig.gateway({ clock });
  const { id, turnId } = await rig.ask(threads, 'hello');
  await rig.until('it answers', () => rig.text(id) === 'one');
  await threads.agents.cancelTurn(anAccount, turnId, { actor: 'device:1' });
  // Until it has been looked at: nothing tells of that.
  await clock.sleep(200 * factor);
  const status = () => rig.database.threads.get(id)?.turns.get(turnId)?.status;
  return { rig, clock, threads, id, turnId, status };
}

test('W13: a clock that is set back an hour gives no agent an hour to ignore a cancel', async (t) => {
  const { rig, clock, id, turnId, status } = await cancelled(t, 10);
  clock.jump(-hourMs);
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.equal(status(), 'interrupted');
});

test('W13: a clock that is set forward an hour ends no agent that is about to stop', async (t) => {
  const { rig, clock, threads, id, turnId, status } = await cancelled(t, 1);
  clock.jump(hourMs);
  // Whatever makes it look again.
  await threads.agents.reapStartupOrphans();
  await clock.sleep(300);
  openGate(rig.gates, 'stop').release();
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.equal(status(), 'cancelled');
  assert.equal(rig.endedLeases(id).length, 0);
});

test('W10: a clock that is set forward past a deadline makes no good answer late', async (t) => {
  const answering = onPrompt([say('one'), gate('more'), say('two'), endTurn()]);
  const rig = new ThreadsRig(t, script([expectInitialize(), expectNew(), answering]));
  const clock = createJumpyClock(1);
  // The journal has the real time, which this clock comes to when it is set right.
  clock.jump(-hourMs);
  const { threads } = await rig.gateway({ clock });
  const { id, turnId } = await rig.ask(threads, 'hello');
  await rig.until('it answers', () => rig.text(id) === 'one');
  const { deadlineAtMs = Infinity } = rig.database.threads.get(id)?.turns.get(turnId) ?? {};
  assert.ok(deadlineAtMs < Date.now(), 'by the wall clock it is over');
  clock.jump(hourMs);
  openGate(rig.gates, 'more').release();
  await rig.until('the turn has ended', () => rig.turnEnded(id, turnId));
  assert.equal(rig.database.threads.get(id)?.turns.get(turnId)?.status, 'completed');
});
