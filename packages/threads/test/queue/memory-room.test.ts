/*
 * How many agents may be started with the memory that is left.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunningTurn } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import { startsFor } from '../../src/queue/memory-room.ts';

const limits = { floorBytes: 500, agentBytes: 300 };

function turn(startedAtMs: number): RunningTurn {
  const names = { accountId: 'a' as AccountId, threadId: 't', turnId: 't', agent: 'a' };
  return { ...names, instanceId: 'here', startedAtMs };
}

const old = turn(0);
const atMs = 1_000_000;

test('none below the floor, and one more for each agent that fits above it', () => {
  const starts = (availableBytes: number) =>
    startsFor(limits, { availableBytes, running: [old], atMs });
  assert.deepEqual([0, 500, 501, 800, 801, 1_400].map(starts), [0, 0, 1, 1, 2, 3]);
});

test('memory is set aside for agents that have just been started', () => {
  const running = [old, turn(atMs - 1_000)];
  assert.equal(startsFor(limits, { availableBytes: 800, running, atMs }), 0);
  assert.equal(startsFor(limits, { availableBytes: 801, running, atMs }), 1);
});

test('where nothing runs one is started in any case', () => {
  assert.equal(startsFor(limits, { availableBytes: 0, running: [], atMs }), 1);
});

test('agents on hosts take no memory here, and make no room here', () => {
  const far = { ...turn(atMs - 1_000), isOnHost: true };
  assert.equal(startsFor(limits, { availableBytes: 501, running: [old, far], atMs }), 1);
  assert.equal(startsFor(limits, { availableBytes: 0, running: [far], atMs }), 1);
});

test('what cannot be read is no reason to wait', () => {
  const now = { availableBytes: undefined, running: [old], atMs };
  assert.equal(startsFor(limits, now), Number.POSITIVE_INFINITY);
});
