/*
 * When a device tries to send what waits: at once when something has changed, later each time when nothing has; and how often the system is asked to
 * wake the worker for it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '@clawdfather/kit';
import type { Attempt, OutboxWire } from '@clawdfather/sdk';
import { createFakeClock } from '@clawdfather/testkit';
import { openDeviceOutbox } from '../../src/outbox/outbox.ts';
import { createDeviceOutboxStore } from '../../src/outbox/outbox-store.ts';
import { createMemoryTables } from '../../src/storage/memory-tables.ts';

/* A gateway that can be away, and the times at which it was asked. */
function openRig() {
  const clock = createFakeClock();
  const askedAtMs: number[] = [];
  const rig = { isAway: true, isRefused: false, wakes: 0, refusals: 0 };
  const answer = async (): Promise<Attempt> => {
    askedAtMs.push(clock.monotonicMs());
    if (rig.isRefused) throw new Error('refused');
    return rig.isAway ? { kind: 'unanswered' } : { kind: 'accepted', id: `id-${askedAtMs.length}` };
  };
  const wire: OutboxWire = { createThread: answer, prompt: answer, cancel: answer };
  let count = 0;
  const outbox = openDeviceOutbox({
    store: createDeviceOutboxStore(createMemoryTables(), undefined),
    wire,
    clock,
    // Ids of their own. The first byte is the jitter's, and has none.
    random: createRandom((target) => {
      count += 1;
      target.fill(count);
      target[0] = 0;
    }),
    tabs: { tell: () => {}, onNews: () => {} },
    onRefused: () => {
      rig.refusals += 1;
    },
    onWaiting: () => {
      rig.wakes += 1;
    },
  });
  return { rig, clock, outbox, askedAtMs };
}

const seconds = (times: readonly number[]): readonly number[] => times.map((ms) => ms / 1_000);

test('while the gateway is away a message is tried later each time, and the system is asked once to wake the worker', async () => {
  const { rig, clock, outbox, askedAtMs } = openRig();
  await outbox.say({ threadId: 't', text: 'hello' });
  await clock.advance(100_000);
  assert.deepEqual(seconds(askedAtMs), [0, 1, 3, 7, 15, 31, 61, 91]);
  assert.equal(rig.wakes, 1);
});

test('what changes is tried at once, and is what the next attempts are counted from', async () => {
  const { rig, clock, outbox, askedAtMs } = openRig();
  await outbox.say({ threadId: 't', text: 'hello' });
  await clock.advance(20_000);
  // A network is there, before it leads anywhere.
  outbox.flush();
  await clock.advance(2_000);
  assert.deepEqual(seconds(askedAtMs), [0, 1, 3, 7, 15, 20, 21]);
  rig.isAway = false;
  await clock.advance(1_000);
  assert.deepEqual(seconds(askedAtMs), [0, 1, 3, 7, 15, 20, 21, 23]);
  await clock.advance(100_000);
  assert.equal(askedAtMs.length, 8, 'nothing waits any more');
});

test('the system is asked to wake the worker once for each change after which something still waits', async () => {
  const { rig, clock, outbox } = openRig();
  outbox.flush();
  await clock.advance(10_000);
  assert.equal(rig.wakes, 0, 'nothing waits');
  await outbox.say({ threadId: 't', text: 'hello' });
  await clock.advance(100_000);
  assert.equal(rig.wakes, 1);
  // Such as that the page is put away. Those that are told of in one moment are one.
  for (let times = 0; times < 3; times += 1) outbox.flush();
  await clock.advance(100_000);
  assert.equal(rig.wakes, 2);
  rig.isAway = false;
  outbox.flush();
  await clock.advance(100_000);
  assert.equal(rig.wakes, 2, 'it was sent');
});

test('after a refusal who is signed in is asked, and what still waits then is tried again', async () => {
  const { rig, clock, outbox, askedAtMs } = openRig();
  rig.isAway = false;
  rig.isRefused = true;
  await outbox.say({ threadId: 't', text: 'hello' });
  await clock.advance(2_000);
  assert.equal(rig.refusals, 2);
  rig.isRefused = false;
  await clock.advance(1_000);
  assert.deepEqual(seconds(askedAtMs), [0, 1, 3]);
  const [row] = outbox.rows.value;
  assert.equal(row?.state.kind, 'accepted');
});
