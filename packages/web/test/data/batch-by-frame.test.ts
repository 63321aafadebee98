/*
 * What comes while a page is painted, and while it is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { batchByFrame } from '../../src/data/batch-by-frame.ts';
import { createNextPaint, unseenMs } from '../../src/data/next-paint.ts';

/* A page whose paints are made by the test. */
function openPage() {
  const clock = createFakeClock();
  const asked = new Map<number, () => void>();
  let last = 0;
  const beforePaint = createNextPaint(clock, {
    requestAnimationFrame: (show) => {
      last += 1;
      asked.set(last, show);
      return last;
    },
    cancelAnimationFrame: (handle) => void asked.delete(handle),
  });
  const paint = (): void => {
    const shows = [...asked.values()];
    asked.clear();
    for (const show of shows) show();
  };
  const shown: string[][] = [];
  const add = batchByFrame<string>({
    beforePaint,
    show: (items) => void shown.push([...items]),
    sizeOf: (item) => item.length,
    sizeMax: 10,
  });
  return { clock, asked, paint, shown, add };
}

test('what comes between two paints is shown with the next one, once', async () => {
  const { clock, paint, shown, add } = openPage();
  add('a');
  add('b');
  assert.deepEqual(shown, []);
  paint();
  assert.deepEqual(shown, [['a', 'b']]);
  await clock.advance(2 * unseenMs);
  assert.deepEqual(shown, [['a', 'b']]);
  add('c');
  paint();
  assert.deepEqual(shown, [['a', 'b'], ['c']]);
});

test('a page without paints shows what has come all the same, and asks for one paint at most', async () => {
  const { clock, asked, paint, shown, add } = openPage();
  for (const item of ['a', 'b', 'c']) {
    add(item);
    await clock.advance(unseenMs);
  }
  assert.deepEqual(shown, [['a'], ['b'], ['c']]);
  assert.equal(asked.size, 0);
  add('d');
  assert.equal(asked.size, 1);
  // It is seen again.
  paint();
  assert.deepEqual(shown.at(-1), ['d']);
});

test('more than may wait is shown at once, whenever the next paint is', () => {
  const { paint, shown, add } = openPage();
  for (let count = 0; count < 100; count += 1) add('four');
  assert.equal(shown.length, 33);
  assert.deepEqual(shown[0], ['four', 'four', 'four']);
  paint();
  assert.equal(shown.flat().length, 100, 'the rest with the paint');
});
