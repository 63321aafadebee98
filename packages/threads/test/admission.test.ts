/*
 * The queue goes on although the database was away in the moment that it was looked at, and whenever it was told that something changed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ThreadName } from '@clawdfather/agents';
import { type AccountId, silentLog } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import { createAdmission } from '../src/admission.ts';

const thread: ThreadName = { accountId: 'account' as AccountId, id: 'thread' };

function rig(runningTurns: () => Promise<number>) {
  const admitted: string[] = [];
  const clock = createFakeClock();
  const admission = createAdmission({
    due: { runningTurns, withTurns: async () => [thread] } as never,
    activeMax: 2,
    log: silentLog,
    clock,
    observer: { apart: (work) => work() },
    admit: async ({ id }) => {
      admitted.push(id);
      return true;
    },
  });
  return { admission, admitted, clock };
}

const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 50; turns += 1) await Promise.resolve();
};

test('a look that fails is made again soon', async () => {
  let fails = 2;
  const { admission, admitted, clock } = rig(async () => {
    fails -= 1;
    if (fails >= 0) throw new Error('the database is away');
    return 0;
  });
  admission.look();
  await settle();
  assert.deepEqual(admitted, []);
  for (let tries = 0; tries < 2; tries += 1) {
    await clock.advance(1_000);
    await settle();
  }
  assert.deepEqual(admitted, ['thread']);
  await clock.advance(60_000);
  await settle();
  assert.deepEqual(admitted, ['thread'], 'once is enough');
  await admission.close();
});

test('a look that is wanted in the moment that another one ends is made', async () => {
  // However many steps of the event loop the other one is away from its end.
  for (let steps = 0; steps < 20; steps += 1) {
    const { admission, admitted } = rig(async () => 0);
    admission.look();
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    const before = admitted.length;
    admission.look();
    await settle();
    assert.ok(admitted.length > before, `after ${steps} steps`);
    await admission.close();
  }
});
