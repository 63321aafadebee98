/*
 * Turns that wait at a gateway with real agents: for a lane, for memory, for another gateway; and what neither a clock that jumps nor a
 * restart does to them.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Clock } from '@clawdfather/kit';
import {
  createFastClock,
  createHurryingClock,
  expectInitialize,
  expectNew,
  gate,
  onPrompt,
  say,
  script,
} from '@clawdfather/testkit';
import { anAccount } from '../support/memory-records.ts';
import { type GatewayOptions, ThreadsRig } from '../support/threads-rig.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const by = { actor: 'device:1' };

/* Each agent says a word and works on until it is cancelled. */
function openRig(t: TestContext): ThreadsRig {
  return new ThreadsRig(
    t,
    script([expectInitialize(), expectNew(), onPrompt([say('one'), gate('never')])]),
  );
}

const lane = (activeMax: number) => ({ activeMax, waitingMax: 9, waitMsMax: minuteMs });

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

async function twoTurns(t: TestContext, options: GatewayOptions) {
  const rig = openRig(t);
  const { threads } = await rig.gateway(options);
  const first = await rig.ask(threads, 'first');
  await rig.until('the first answers', () => rig.text(first.id) === 'one');
  const second = await rig.ask(threads, 'second');
  const reason = async (): Promise<string | undefined> =>
    (await threads.queue.ofTurn(anAccount, second.turnId))?.reason.code;
  const status = (): string | undefined =>
    rig.database.threads.get(second.id)?.turns.get(second.turnId)?.status;
  const endFirst = () => threads.agents.cancelTurn(anAccount, first.turnId, by);
  return { rig, threads, first, second, reason, status, endFirst };
}

test('X1: a full lane is waited for, and a turn is let in when it has room', async (t) => {
  const world = await twoTurns(t, { limits: { agent: lane(1) } });
  const { rig, second } = world;
  assert.equal(await world.reason(), 'agent-lane-full');
  assert.equal(world.status(), 'queued');
  await world.endFirst();
  await rig.until('the second answers', () => rig.text(second.id) === 'one');
  assert.equal(await world.reason(), undefined);
});

test('two gateways let in what one lane takes, and no more', async (t) => {
  const rig = openRig(t);
  const limits = { agent: lane(2) };
  const both = [await rig.gateway({ limits }), await rig.gateway({ limits })];
  const turns = [];
  for (let count = 0; count < 6; count += 1) {
    turns.push(rig.ask(both[count % 2]!.threads, `number ${count}`));
  }
  await Promise.all(turns);
  const running = () =>
    [...rig.database.threads.values()].filter(({ thread }) => thread.status === 'running').length;
  await rig.until('two run', () => running() === 2);
  // Whatever makes them look again.
  for (const { threads } of both) await threads.takeUp();
  assert.equal(running(), 2);
});

test('without memory no agent is started beside one that runs; with memory it is', async (t) => {
  let availableBytes = 0;
  const clock = createFastClock(10);
  const world = await twoTurns(t, { clock, availableBytes: () => availableBytes });
  const { rig, second } = world;
  assert.equal(await world.reason(), 'low-memory', 'the first was let in all the same');
  assert.equal(world.status(), 'queued');
  availableBytes = 8 * 1024 ** 3;
  await rig.until('the second answers', () => rig.text(second.id) === 'one');
});

test('a turn whose agent runs goes on without memory', async (t) => {
  const rig = new ThreadsRig(
    t,
    script([
      expectInitialize(),
      expectNew(),
      onPrompt([say('one'), gate('never')]),
      onPrompt([say('two'), gate('never')]),
    ]),
  );
  const { threads } = await rig.gateway({ availableBytes: () => 0 });
  const { id, turnId } = await rig.ask(threads, 'first');
  await rig.until('it answers', () => rig.text(id) === 'one');
  await rig.say(threads, id, 'and then?');
  await threads.agents.cancelTurn(anAccount, turnId, by);
  await rig.until('it answers again', () => rig.text(id) === 'onetwo');
});

test('W10: a clock that jumps empties no queue', async (t) => {
  for (const jumpMs of [hourMs, -hourMs]) {
    const clock = createJumpyClock(1);
    const world = await twoTurns(t, { clock, limits: { agent: lane(1) } });
    clock.jump(jumpMs);
    // Whatever makes it look again.
    await world.threads.takeUp();
    await clock.sleep(300);
    assert.equal(world.status(), 'queued');
    await world.endFirst();
    await world.rig.until('the second answers', () => world.rig.text(world.second.id) === 'one');
  }
});

test('a turn that could have run for as long as it may fails', async (t) => {
  const clock = createHurryingClock();
  const world = await twoTurns(t, { clock, limits: { agent: lane(1) } });
  clock.hurry(100);
  await world.rig.until('it has failed', () => world.status() === 'failed');
  const { result } = world.rig.database.threads
    .get(world.second.id)!
    .turns.get(world.second.turnId)!;
  assert.deepEqual([result?.code, result?.cause], ['OPENCLAW_GATEWAY_BUSY', 'queue_timeout']);
  assert.match(result?.message ?? '', /^it waited for 1 minutes: 1 of 1 fake turns are running$/);
});

test('nothing fails for the time in which no gateway was alive', async (t) => {
  const world = await twoTurns(t, { limits: { agent: lane(1) } });
  const { rig, second, first } = world;
  const stored = rig.database.threads.get(second.id)!;
  const waiting = stored.turns.get(second.turnId)!;
  stored.turns.set(second.turnId, { ...waiting, readyAtMs: (waiting.readyAtMs ?? 0) - hourMs });
  const later = await rig.gateway({ limits: { agent: lane(1) } });
  await later.threads.takeUp();
  await later.threads.agents.cancelTurn(anAccount, first.turnId, by);
  await rig.until('the second answers', () => rig.text(second.id) === 'one');
});
