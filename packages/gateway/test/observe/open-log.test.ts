/*
 * What a log line looks like: the documented fields and no others, on one line, with nothing in it that drives a terminal or
 * opens a door.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log, LogLevel } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import { documentedEvents, logDocumented } from '../../src/observe/log-events.ts';
import { createLog } from '../../src/observe/open-log.ts';

const fieldNames = [
  'timestamp',
  'level',
  'component',
  'event',
  'session_lease_id',
  'account_id',
  'connection_id',
  'trace_id',
  'message',
  'detail',
];

interface Parsed {
  readonly timestamp: string;
  readonly level: string;
  readonly component: string;
  readonly event: string;
  readonly trace_id: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

function openTestLog(levelMin: LogLevel = 'info'): {
  log: Log;
  lines: string[];
  last: () => Parsed;
} {
  const lines: string[] = [];
  const clock = createFakeClock(Date.UTC(2026, 1, 21, 17, 0, 0, 123));
  const log = createLog({ clock, levelMin, output: { write: (line) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') as Parsed };
}

test('every line has exactly the documented fields, whatever it was given', () => {
  const { log, last } = openTestLog();
  log.event('ssh.connect.success', {
    session_lease_id: '880e8400',
    account_id: '550e8400',
    connection_id: '770e8400',
    trace_id: 'abc123',
    message: 'connected',
    host: 'example.org',
    latency_ms: 12,
  });
  assert.deepEqual(last(), {
    timestamp: '2026-02-21T17:00:00.123Z',
    level: 'info',
    component: 'ssh',
    event: 'ssh.connect.success',
    session_lease_id: '880e8400',
    account_id: '550e8400',
    connection_id: '770e8400',
    trace_id: 'abc123',
    message: 'connected',
    detail: { host: 'example.org', latency_ms: 12 },
  });
  log.event('something');
  assert.deepEqual(Object.keys(last()).sort(), fieldNames.toSorted());
  // Names of ours in the detail cannot take the place of a field.
  log.event('real', { event: 'forged', level: 'error', timestamp: 'never', detail: 'mine' });
  assert.deepEqual(
    [last().event, last().level, last().detail],
    ['real', 'info', { event: 'forged', level: 'error', timestamp: 'never', detail: 'mine' }],
  );
});

test('a child log puts its fields into every line, and a line may say otherwise', () => {
  const { log, lines, last } = openTestLog();
  const child = log.child({ trace_id: 'one', component: 'session' }).child({ run: 7 });
  child.warn('x.y');
  assert.deepEqual(
    [last().trace_id, last().component, last().level, last().detail],
    ['one', 'session', 'warn', { run: 7 }],
  );
  child.event('x.y', { trace_id: 'two' });
  assert.equal(last().trace_id, 'two');
  assert.equal(lines.at(-1)?.split('"trace_id"').length, 2, 'a field is written once');
});

test('no character can end a line, forge one or drive a terminal', () => {
  const { log, lines, last } = openTestLog();
  const nasty = 'a\n{"level":"error"}\r\u001b[2J\u007f\u0085\u009b31m\u2028\u2029\u0000b';
  log.event('x', { [nasty]: nasty, message: nasty, trace_id: nasty });
  const [line = ''] = lines;
  assert.equal(line.indexOf('\n'), line.length - 1);
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  assert.doesNotMatch(line.slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
  assert.equal(last().detail[nasty], nasty);
  // Twice, because a pattern that remembers where it was would skip the second.
  log.event('x', { nasty });
  assert.doesNotMatch(lines[1]?.slice(0, -1) ?? '', /[\u007f-\u009f\u2028\u2029]/);
});

test('errors are told with their code and cause, without their stack', () => {
  const { log, last } = openTestLog();
  const cause = Object.assign(new Error('inner'), { code: 'ENOENT' });
  log.error('x', { error: new Error('outer', { cause }) });
  assert.deepEqual(last().detail['error'], {
    name: 'Error',
    message: 'outer',
    cause: { name: 'Error', code: 'ENOENT', message: 'inner' },
  });
});

test('what cannot be written is left out, the line is written', () => {
  const { log, last } = openTestLog();
  const ring: Record<string, unknown> = {};
  ring['self'] = ring;
  const throwing = {
    get boom() {
      throw new Error('no');
    },
  };
  for (const value of [ring, throwing, 12n, Symbol('s'), () => 1, new Map(), undefined]) {
    assert.doesNotThrow(() => log.event('x', { value }));
    assert.equal(last().event, 'x');
  }
});

test('a line has a length; what would be longer loses its detail, not its names', () => {
  const { log, lines, last } = openTestLog();
  log.event('x', { trace_id: 't', list: Array.from({ length: 10_000 }, (_, i) => `item ${i}`) });
  assert.deepEqual([last().trace_id, last().detail], ['t', { removed: 'too long' }]);
  log.event('x', { stderr: 'e'.repeat(100_000) });
  assert.ok((lines.at(-1)?.length ?? 0) < 20_000);
  assert.match(String(last().detail['stderr']), /^e{4096}… \(100000 characters\)$/);
});

test('a token never gets into a line', () => {
  const { log, lines } = openTestLog();
  const token = `clf_${'Ab3_-'.repeat(8)}xyz`;
  log.event('x', { message: `bad ${token}`, deep: { list: [token] }, [token]: 1 });
  assert.doesNotMatch(lines[0] ?? '', /Ab3_/);
});

test('lines below the level are not written', () => {
  const { log, lines } = openTestLog('warn');
  log.debug('a');
  log.event('b');
  log.warn('c');
  log.error('d');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).event),
    ['c', 'd'],
  );
});

test('the reserved events are written at their documented levels', () => {
  const { log, last } = openTestLog('debug');
  logDocumented(log, 'ssh.exec.start', { command_hash: 'h' });
  assert.deepEqual([last().level, last().component], ['debug', 'ssh']);
  logDocumented(log, 'ssh.connect.failed', { host: 'h', port: 22, error: 'e', stderr: 's' });
  assert.equal(last().level, 'error');
  logDocumented(log, 'ssh.exec.timeout', { timeout_ms: 1, command_hash: 'h' });
  assert.equal(last().level, 'warn');
  logDocumented(log, 'session.close', { reason: 'user', duration_ms: 1 });
  assert.deepEqual([last().level, last().component], ['info', 'session']);
  assert.equal(Object.keys(documentedEvents).filter((name) => name.startsWith('ssh.')).length, 8);
});
