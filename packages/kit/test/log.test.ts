/*
 * Log lines: one JSON object each, safe to read in a terminal, and never a throw.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError, createJsonLog, type LogLevel, silentLog } from '@clawdfather/kit';

function openLog(levelMin?: LogLevel) {
  const lines: string[] = [];
  const log = createJsonLog({
    write: (line) => lines.push(line),
    clock: { wallMs: () => 1_700_000_000_000 },
    ...(levelMin === undefined ? {} : { levelMin }),
  });
  return { log, lines, record: (index = 0) => JSON.parse(lines[index] ?? '') as unknown };
}

test('a line is an event name and fields', () => {
  const { log, lines, record } = openLog();
  log.event('run.started', { pid: 12 });
  assert.deepEqual(record(), {
    time: '2023-11-14T22:13:20.000Z',
    level: 'info',
    event: 'run.started',
    pid: 12,
  });
  assert.ok(lines[0]?.startsWith('{"time":'));
  assert.ok(lines[0]?.endsWith('}\n'));
});

test('a child adds its fields to every line, the inner ones win', () => {
  const { log, record } = openLog();
  log.child({ runId: 'a', pid: 1 }).child({ pid: 2 }).warn('x');
  assert.deepEqual(record(), {
    time: '2023-11-14T22:13:20.000Z',
    level: 'warn',
    event: 'x',
    runId: 'a',
    pid: 2,
  });
});

test('lines below the level are dropped', () => {
  const { log, lines } = openLog('warn');
  log.debug('a');
  log.event('b');
  log.warn('c');
  log.error('d');
  assert.equal(lines.length, 2);
});

test('control characters cannot leave the line or reach the terminal', () => {
  const { log, lines, record } = openLog();
  const hostile = '\n{"event":"forged"}\u001b[2J\u007f\u009b31m\u2028';
  log.event('x', { hostile });
  assert.equal(lines.length, 1);
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(lines[0]?.trimEnd() ?? '', /[\u0000-\u001f\u007f-\u009f\u2028]/);
  assert.equal((record() as { hostile: string }).hostile, hostile);
});

test('fields cannot replace the time, the level or the event', () => {
  const { log, record } = openLog();
  log.event('real', { event: 'forged', level: 'error', time: 'never' });
  assert.deepEqual(record(), {
    time: '2023-11-14T22:13:20.000Z',
    level: 'info',
    event: 'real',
  });
});

test('errors are written with code and cause, without a stack', () => {
  const { log, record } = openLog();
  const cause = Object.assign(new Error('no entry'), { code: 'ENOENT' });
  log.error('x', { error: new CodedError('some-code', 'failed', { cause }) });
  assert.deepEqual((record() as { error: unknown }).error, {
    name: 'CodedError',
    code: 'some-code',
    message: 'failed',
    cause: { name: 'Error', code: 'ENOENT', message: 'no entry' },
  });
});

test('what cannot be serialized does not throw', () => {
  const { log, record } = openLog();
  const ring: Record<string, unknown> = {};
  ring['self'] = ring;
  log.event('ring', ring);
  log.event('big', { size: 10n });
  assert.equal((record(0) as { event: string }).event, 'ring');
  assert.equal((record(1) as { size: string }).size, '10');
});

test('the silent log accepts everything', () => {
  silentLog.child({ a: 1 }).event('x');
  silentLog.debug('x');
  silentLog.warn('x');
  silentLog.error('x');
});
