/*
 * The queue itself, with groups that take time: what joins which group, and what happens meanwhile (Q2, Q4).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { createCommitQueue, type GroupOutcome } from '../src/commit-queue.ts';
import { busyPauseMsMax, writesQueuedMax } from '../src/limits.ts';
import { testErrors } from './test-errors.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/* Each group holds three writes at most and is committed when the test says so. */
function openQueue() {
  const clock = createFakeClock();
  const groups: string[][] = [];
  const commits: ((outcome?: 'busy') => void)[] = [];
  const queue = createCommitQueue<string>({
    clock,
    random: createSeededRandom(1),
    errors: testErrors,
    commit: (queued) => {
      const group = queued.slice(0, 3).map(({ work }) => work);
      groups.push(group);
      const { promise, resolve } = Promise.withResolvers<GroupOutcome>();
      commits.push((outcome) => {
        resolve(outcome ?? group.map((value) => ({ isDone: true, value })));
      });
      return promise;
    },
  });
  return { clock, queue, groups, commits };
}

test('what a group leaves, and what comes while it is committed, is the next group', async () => {
  const { queue, groups, commits } = openQueue();
  const first = ['a', 'b', 'c', 'd'].map((work) => queue.write(work));
  await turn();
  const late = queue.write('e');
  await turn();
  assert.deepEqual(groups, [['a', 'b', 'c']], 'one group at a time');
  commits[0]?.();
  assert.deepEqual(await Promise.all(first.slice(0, 3)), ['a', 'b', 'c']);
  await turn();
  commits[1]?.();
  assert.equal(await late, 'e');
  assert.deepEqual(groups, [
    ['a', 'b', 'c'],
    ['d', 'e'],
  ]);
});

test('a group that met the lock comes again, with what was queued meanwhile', async () => {
  const { clock, queue, groups, commits } = openQueue();
  const early = queue.write('early');
  await turn();
  commits[0]?.('busy');
  await turn();
  const late = queue.write('late');
  await clock.advance(busyPauseMsMax);
  commits[1]?.();
  assert.deepEqual(await Promise.all([early, late]), ['early', 'late']);
  assert.deepEqual(groups, [['early'], ['early', 'late']]);
});

test('closing waits for the group under way and for what is queued', async () => {
  const { queue, commits } = openQueue();
  const writes = ['a', 'b', 'c', 'd'].map((work) => queue.write(work));
  await turn();
  let isClosed = false;
  const closed = queue.close().then(() => {
    isClosed = true;
  });
  commits[0]?.();
  await turn();
  await turn();
  assert.equal(isClosed, false);
  commits[1]?.();
  await Promise.all([...writes, closed]);
});

test('a queue that is full refuses at once', async () => {
  const { queue } = openQueue();
  for (let number = 0; number < writesQueuedMax; number += 1) void queue.write(`${number}`);
  await assert.rejects(queue.write('one more'), { code: 'test-busy' });
});
