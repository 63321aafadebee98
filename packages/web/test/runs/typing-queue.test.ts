/*
 * Keys that are tapped while others are on their way: in order, and never late.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred } from '@clawdfather/kit';
import { createTypingQueue } from '../../src/runs/typing-queue.ts';

function openQueue() {
  const sent: string[] = [];
  const answers: ReturnType<typeof deferred<boolean>>[] = [];
  const queue = createTypingQueue({
    run: async (send) => {
      await send();
      const answer = deferred<boolean>();
      answers.push(answer);
      return answer.promise;
    },
    sendKeys: async (keys) => void sent.push(keys.join(' ')),
  });
  const settle = async (isDone: boolean): Promise<void> => {
    while (answers.length === 0) await Promise.resolve();
    answers.shift()?.resolve(isDone);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, sent, settle };
}

test('what is tapped while a key is sent follows it, in order, with the text between', async () => {
  const { queue, sent, settle } = openQueue();
  const done = [
    queue.key('Up'),
    queue.key('Down'),
    queue.key('Enter'),
    queue.work(async () => sent.push('text')),
    queue.key('Tab'),
  ];
  for (let count = 0; count < 4; count += 1) await settle(true);
  assert.deepEqual(await Promise.all(done), [true, true, true, true, true]);
  assert.deepEqual(sent, ['Up', 'Down Enter', 'text', 'Tab']);
});

test('what fails takes along what waits behind it, and the next tap begins anew', async () => {
  const { queue, sent, settle } = openQueue();
  const done = [queue.key('Up'), queue.key('Down')];
  await settle(false);
  assert.deepEqual(await Promise.all(done), [false, false]);
  const later = queue.key('Left');
  await settle(true);
  assert.equal(await later, true);
  assert.deepEqual(sent, ['Up', 'Left']);
});

test('what waits when the connection is lost is not sent after it', async () => {
  const { queue, sent, settle } = openQueue();
  const done = [queue.key('Up'), queue.key('Down')];
  queue.drop();
  await settle(true);
  assert.deepEqual(await Promise.all(done), [true, false]);
  assert.deepEqual(sent, ['Up']);
});
