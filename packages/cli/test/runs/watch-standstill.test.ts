/*
 * J4 at a gateway: a run that stands still is noticed, and so is that it goes on; each is told once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId, Stall } from '@clawdfather/supervisor';
import { createFakeClock } from '@clawdfather/testkit';
import { watchStandstill } from '../../src/runs/watch-standstill.ts';
import { recordWith } from '../support/records.ts';

test('J4: a run at a gateway that stands still is told once, and again when it goes on', async () => {
  const clock = createFakeClock();
  const run = recordWith();
  let stalls: ReadonlyMap<RunId, Stall> = new Map();
  let isReachable = true;
  const place = {
    list: async () => {
      if (!isReachable) throw new Error('no answer');
      return [run];
    },
    stalls: async () => stalls,
  };
  const told: (Stall | undefined)[] = [];
  const watching = watchStandstill({ place, run, clock, tell: (stall) => told.push(stall) });
  await clock.advance(6_000);
  assert.deepEqual(told, []);
  stalls = new Map([[run.runId, 'disk-full']]);
  await clock.advance(20_000);
  assert.deepEqual(told, ['disk-full']);
  isReachable = false;
  await clock.advance(10_000);
  isReachable = true;
  stalls = new Map();
  await clock.advance(10_000);
  assert.deepEqual(told, ['disk-full', undefined]);
  watching[Symbol.dispose]();
  stalls = new Map([[run.runId, 'disk-full']]);
  await clock.advance(20_000);
  assert.equal(told.length, 2);
});
