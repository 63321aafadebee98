/*
 * Following a thread: every event once and in order, whatever is told, read, added elsewhere, or not taken in time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventRow, ThreadRow } from '@clawdfather/agents';
import { createSignalBell } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import { createEventDesk } from '@clawdfather/threads';
import fc from 'fast-check';
import { followThreadEvents } from '../../src/agents/follow-thread-events.ts';

const threadId = 'thread';

/* `after` a number that the thread has reached, unless it is told how far it is. */
function createRig(after = 0, reached = after) {
  const rows: EventRow[] = [];
  const desk = createEventDesk();
  const clock = createFakeClock();
  const leaving = new AbortController();
  const drained = createSignalBell();
  const seen: number[] = [];
  let isFull = false;
  let reads = 0;
  const records = {
    get: async () => ({ lastSeq: rows.length }) as ThreadRow,
    events: async (_id: string, range: { readonly after: number; readonly limit: number }) => {
      reads += 1;
      return rows.filter(({ seq }) => seq > range.after).slice(0, range.limit);
    },
  };
  const add = (count: number): EventRow[] => {
    const added = Array.from({ length: count }, (_, index) => ({
      seq: rows.length + index + 1,
      type: 'delta' as const,
      payload: {},
      atMs: 0,
    }));
    rows.push(...added);
    return added;
  };
  add(reached);
  const { signal } = leaving;
  const following = followThreadEvents(
    { records, desk, clock },
    {
      place: { threadId, after },
      sink: ({ seq }) => {
        seen.push(seq);
        return isFull ? drained.wait(signal) : undefined;
      },
    },
    signal,
  );
  return {
    clock,
    seen,
    rows,
    reads: () => reads,
    addHere: (count: number) => {
      const events = add(count);
      desk.announce({ threadId, lastSeq: rows.length, events });
    },
    /* By another gateway, which is told here without the events, or not at all. */
    addElsewhere: (count: number, isTold: boolean) => {
      add(count);
      if (isTold) desk.announce({ threadId, lastSeq: rows.length, events: [] });
    },
    fill: (full: boolean) => {
      isFull = full;
      if (!full) drained.ring();
    },
    leave: async () => {
      leaving.abort(new Error('left'));
      await assert.rejects(following, /left/);
    },
  };
}

test('whatever adds events, and however slowly they are taken, each is seen once and in order', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('here' as const), count: fc.integer({ min: 1, max: 150 }) }),
    fc.record({
      kind: fc.constant('elsewhere' as const),
      count: fc.integer({ min: 1, max: 150 }),
      isTold: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('fill' as const), full: fc.boolean() }),
    fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 0, max: 1_200 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const rig = createRig();
      for (const one of steps) {
        if (one.kind === 'here') rig.addHere(one.count);
        else if (one.kind === 'elsewhere') rig.addElsewhere(one.count, one.isTold);
        else if (one.kind === 'fill') rig.fill(one.full);
        else await rig.clock.advance(one.ms);
      }
      rig.fill(false);
      await rig.clock.advance(5_000);
      assert.deepEqual(
        rig.seen,
        rig.rows.map(({ seq }) => seq),
      );
      await rig.leave();
      assert.equal(rig.clock.pendingTimers, 0);
    }),
    { numRuns: 60 },
  );
});

test('what follows on is handed on as it was told, without reading it from the database', async () => {
  const rig = createRig();
  await rig.clock.advance(0);
  const before = rig.reads();
  rig.addHere(3);
  await rig.clock.advance(0);
  assert.deepEqual(rig.seen, [1, 2, 3]);
  assert.equal(rig.reads(), before);
  await rig.leave();
});

test('a reader that comes back gets what follows its number, and nothing before it', async () => {
  const rig = createRig(2);
  rig.addElsewhere(2, false);
  await rig.clock.advance(1_000);
  assert.deepEqual(rig.seen, [3, 4]);
  await rig.leave();
});

test('a number that the thread has not reached counts as the newest: what comes is seen', async () => {
  const rig = createRig(1_000_000, 0);
  // The place is found first.
  await new Promise(setImmediate);
  rig.addHere(2);
  await new Promise(setImmediate);
  assert.deepEqual(rig.seen, [1, 2]);
  await rig.leave();
});
