/*
 * Threads that are to be told of an end, of which many cannot be told now.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DueWake, ThreadRow, TurnRow } from '@clawdfather/agents';
import { type AccountId, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import { ThreadsError } from '../src/errors.ts';
import { silentThreadsObserver } from '../src/observer.ts';
import { createWakes } from '../src/wakes.ts';

type TurnOfThread = TurnRow & { readonly threadId: string };

test('an account whose queue is full keeps nobody else from being told, and is told later', async () => {
  const wakeOf = (account: string, index: number): DueWake => ({
    accountId: account as AccountId,
    turnId: `${account}-${index}`,
    threadId: 'child',
    wakeId: 'parent',
  });
  let left = [
    ...Array.from({ length: 120 }, (_one, index) => wakeOf('full', index)),
    ...Array.from({ length: 70 }, (_one, index) => wakeOf('other', index)),
  ];
  let isFull = true;
  const told: string[] = [];
  const clock = createFakeClock();
  const wakes = createWakes({
    wakes: {
      due: async (limit, skip = 0) => left.slice(skip, skip + limit),
      settle: async ({ turnId }) => {
        left = left.filter((wake) => wake.turnId !== turnId);
      },
    },
    recordsOf: () => ({
      // Of their rows only these are read.
      get: async (id) => {
        const row: Partial<ThreadRow> = { id, agent: 'a', title: 't', status: 'ready', lastSeq: 0 };
        return row as ThreadRow;
      },
      turn: async (id) => {
        const row: Partial<TurnOfThread> = { id, status: 'completed', threadId: 'child' };
        return row as TurnOfThread;
      },
      events: async () => [],
    }),
    prompt: async ({ accountId }, { clientMessageId = '' }) => {
      if (accountId === 'full' && isFull) throw new ThreadsError('queue-full', 'full');
      told.push(clientMessageId);
      return { turnId: 'woken' };
    },
    observer: silentThreadsObserver,
    makeVisible: (text) => text,
    clock,
    random: createSystemRandom(),
    log: silentLog,
  });
  wakes.look();
  await clock.advance(0);
  assert.equal(told.length, 70);
  isFull = false;
  await clock.advance(10_000);
  assert.equal(told.length, 190);
  assert.equal(new Set(told).size, 190, 'each once');
  assert.deepEqual(left, []);
  await wakes.close();
  assert.equal(clock.pendingTimers, 0);
});
