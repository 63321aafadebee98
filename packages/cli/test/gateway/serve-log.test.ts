/*
 * The log for people: short, coloured when wanted, and unable to drive the terminal it is shown on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { createPrettyLog } from '../../src/gateway/serve-log.ts';
import { createPaint } from '../../src/render/paint.ts';

test('a line is a time, an event and its fields; lower levels are left out, control characters are shown', () => {
  const lines: string[] = [];
  const log = createPrettyLog({
    write: (line) => void lines.push(line),
    clock: createFakeClock(Date.UTC(2026, 0, 2, 3, 4, 5)),
    levelMin: 'info',
    paint: createPaint(false),
  });
  log.debug('unseen');
  log
    .child({ component: 'api' })
    .warn('api.slow', { route: '/x', error: new Error('a\u001b[2Jb') });
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^03:04:05 api\.slow component=api route=\/x error=a/);
  assert.ok(!lines[0]?.includes('\u001b'));
});
