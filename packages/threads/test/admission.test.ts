/*
 * The queue goes on although the database was away in the moment that it was looked at, and whenever it was told that something changed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadyLane, ReadyTurn, ReadyWanted } from '@clawdfather/agents';
import { type AccountId, silentLog } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import { createAdmission } from '../src/queue/admission.ts';
import { usualQueueLimits } from '../src/queue/queue-limits.ts';

const lane: ReadyLane = { accountId: 'account' as AccountId, agent: 'fake' };
const turn: ReadyTurn = {
  ...lane,
  threadId: 'thread',
  turnId: 'turn',
  priority: 0,
  queueKey: 1,
  place: 1,
  readyAtMs: 0,
  hasAgent: false,
};

function rig(
  isDone: () => Promise<boolean>,
  more: Partial<Parameters<typeof createAdmission>[0]> = {},
) {
  const admitted: string[] = [];
  const clock = createFakeClock();
  const admission = createAdmission({
    queue: {
      readyLanes: async () => ((await isDone()) ? [] : [lane]),
      running: async () => [],
      ready: async () => [turn],
      overdue: async () => [],
    } as never,
    instanceId: 'here',
    limits: usualQueueLimits,
    availableBytes: async () => undefined,
    log: silentLog,
    clock,
    observer: { apart: (work) => work() },
    admit: async ({ turnId }) => {
      admitted.push(turnId);
    },
    expire: async () => {},
    ...more,
  });
  return { admission, admitted, clock };
}

const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 100; turns += 1) await Promise.resolve();
};

test('a look that fails is made again soon', async () => {
  let fails = 2;
  const { admission, admitted, clock } = rig(async () => {
    fails -= 1;
    if (fails >= 0) throw new Error('the database is away');
    return admitted.length > 0;
  });
  admission.look();
  await settle();
  assert.deepEqual(admitted, []);
  for (let tries = 0; tries < 2; tries += 1) {
    await clock.advance(1_000);
    await settle();
  }
  assert.deepEqual(admitted, ['turn']);
  await clock.advance(60_000);
  await settle();
  assert.deepEqual(admitted, ['turn'], 'once is enough');
  await admission.close();
});

test('a look that is wanted in the moment that another one ends is made', async () => {
  // However many steps of the event loop the other one is away from its end.
  for (let steps = 0; steps < 40; steps += 1) {
    const { admission, admitted } = rig(async () => false);
    admission.look();
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    const before = admitted.length;
    admission.look();
    await settle();
    assert.ok(admitted.length > before, `after ${steps} steps`);
    await admission.close();
  }
});

test('while turns wait it looks again by itself', async () => {
  let ready = false;
  const { admission, admitted, clock } = rig(async () => ready && admitted.length > 2);
  admission.look();
  await settle();
  assert.equal(admitted.length, 1);
  await clock.advance(2_000);
  await settle();
  assert.equal(admitted.length, 2);
  ready = true;
  for (let tries = 0; tries < 5; tries += 1) {
    await clock.advance(2_000);
    await settle();
  }
  assert.equal(admitted.length, 3, 'and not when none does');
  await admission.close();
});

test('with memory for some agents, a turn is found whose agent runs, however many stand before it that need one', async () => {
  const cold = Array.from({ length: 100 }, (_, place) => ({
    ...turn,
    turnId: `cold-${place}`,
    threadId: `cold-${place}`,
    queueKey: place,
  }));
  const warm = { ...turn, turnId: 'warm', threadId: 'warm', queueKey: 1_000, hasAgent: true };
  const limits = { ...usualQueueLimits, gateway: { ...usualQueueLimits.gateway, activeMax: 4 } };
  const { floorBytes, agentBytes } = limits.memory;
  const admitted: string[] = [];
  const { admission } = rig(async () => admitted.length > 0, {
    queue: {
      readyLanes: async () => (admitted.length > 0 ? [] : [lane]),
      running: async () => [],
      ready: async ({ hasAgentOnly, perLaneMax }: ReadyWanted) =>
        [...cold, warm].filter(({ hasAgent }) => hasAgent || !hasAgentOnly).slice(0, perLaneMax),
      overdue: async () => [],
    } as never,
    limits,
    // For one agent.
    availableBytes: async () => floorBytes + agentBytes,
    admit: async ({ turnId }) => {
      admitted.push(turnId);
    },
  });
  admission.look();
  await settle();
  assert.deepEqual(admitted.toSorted(), ['cold-0', 'warm']);
  await admission.close();
});

test('a turn whose thread cannot be read or changed keeps no place from those behind it', async () => {
  const turns = ['broken', 'second', 'third'].map((turnId, queueKey) => ({
    ...turn,
    turnId,
    threadId: turnId,
    queueKey,
  }));
  const admitted: string[] = [];
  const expired: string[] = [];
  const oneAtATime = { ...usualQueueLimits.agent, activeMax: 1 };
  const { admission, clock } = rig(async () => false, {
    queue: {
      readyLanes: async () => [lane],
      running: async () =>
        admitted.map((turnId) => ({ ...turn, turnId, instanceId: 'here', startedAtMs: 0 })),
      ready: async ({ perLaneMax }: ReadyWanted) =>
        turns.filter(({ turnId }) => !admitted.includes(turnId)).slice(0, perLaneMax),
      overdue: async () => turns,
    } as never,
    // One place, and so one turn is read at a time.
    limits: { ...usualQueueLimits, agent: oneAtATime, gateway: oneAtATime, account: oneAtATime },
    admit: async ({ turnId }) => {
      if (turnId === 'broken') throw new Error('its rows cannot be read');
      admitted.push(turnId);
    },
    expire: async ({ turnId }) => {
      if (turnId === 'broken') throw new Error('its rows cannot be read');
      expired.push(turnId);
    },
  });
  admission.look();
  await settle();
  assert.deepEqual(admitted, ['second']);
  for (let waitedMs = 0; waitedMs <= oneAtATime.waitMsMax; waitedMs += 2_000) {
    await clock.advance(2_000);
    await settle();
  }
  assert.deepEqual(new Set(expired), new Set(['second', 'third']), 'nor its end from theirs');
  await admission.close();
});
