/*
 * When what an agent writes is drawn.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { createPacedPaints, paintPauseMs } from '../../src/thread/paced-paints.ts';

test('the first piece is drawn with the next frame, and the next one after a pause', async () => {
  const clock = createFakeClock();
  const frames: (() => void)[] = [];
  const frame = (): void => frames.splice(0).forEach((draw) => draw());
  const paint = createPacedPaints(clock, (draw) => frames.push(draw));
  const drawn: string[] = [];
  paint(() => drawn.push('first'));
  frame();
  assert.deepEqual(drawn, ['first']);
  paint(() => drawn.push('second'));
  frame();
  assert.deepEqual(drawn, ['first'], 'not yet');
  await clock.advance(paintPauseMs);
  frame();
  assert.deepEqual(drawn, ['first', 'second']);
  await clock.advance(paintPauseMs);
  paint(() => drawn.push('third'));
  frame();
  assert.deepEqual(drawn, ['first', 'second', 'third'], 'after a silence at once');
});
