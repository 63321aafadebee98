/*
 * The log for people: short, coloured when wanted, and everything at the level debug.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogLevel } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import { createPrettyLog } from '../../src/gateway/serve-log.ts';
import { createPaint } from '../../src/render/paint.ts';

function linesOf(levelMin: LogLevel): string[] {
  const lines: string[] = [];
  const log = createPrettyLog({
    write: (line) => void lines.push(line),
    clock: createFakeClock(Date.UTC(2026, 0, 2, 3, 4, 5)),
    levelMin,
    paint: createPaint(false),
  });
  log.debug('run.event', { state: 'running' });
  log.event('run.spawn', { runId: 'r1' });
  log.child({ component: 'auth' }).event('auth.signed-in', { device: 'iPhone' });
  log.child({ component: 'api' }).warn('api.request.slow', { route: '/x' });
  return lines;
}

test('a line is a time and a sentence; what does not matter is left out', () => {
  assert.deepEqual(linesOf('info'), [
    '03:04:05 signed in: iPhone\n',
    '03:04:05 a request took more than five seconds: /x\n',
  ]);
  assert.deepEqual(linesOf('warn'), ['03:04:05 a request took more than five seconds: /x\n']);
});

test('at the level debug every event is there with its fields', () => {
  assert.deepEqual(linesOf('debug'), [
    '03:04:05 run.event state=running\n',
    '03:04:05 run.spawn runId=r1\n',
    '03:04:05 auth.signed-in component=auth device=iPhone\n',
    '03:04:05 api.request.slow component=api route=/x\n',
  ]);
});
