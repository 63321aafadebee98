/*
 * The counters, from what the shim recorded (T2, T3).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsOfExit } from '../src/events.ts';
import { terminationReasons } from '@clawdfather/shim';
import { exitOf } from './records.ts';

test('every reason is counted once, under its own name', () => {
  for (const reason of terminationReasons) {
    const counts = countsOfExit(exitOf({ reason }));
    assert.deepEqual(
      counts.filter(({ name }) => name === 'run_exit_total'),
      [{ name: 'run_exit_total', labels: { reason }, by: 1 }],
    );
  }
});

test('timeouts are told apart, escapes are counted', () => {
  const extra = (reason: 'overall-timeout' | 'no-output-timeout' | 'ownership-escape' | 'exit') =>
    countsOfExit(exitOf({ reason })).slice(1);
  assert.deepEqual(extra('overall-timeout'), [
    { name: 'run_timeout_total', labels: { type: 'overall' }, by: 1 },
  ]);
  assert.deepEqual(extra('no-output-timeout'), [
    { name: 'run_timeout_total', labels: { type: 'no_output' }, by: 1 },
  ]);
  assert.deepEqual(extra('ownership-escape'), [
    { name: 'run_ownership_escape_total', labels: undefined, by: 1 },
  ]);
  assert.deepEqual(extra('exit'), []);
});

test('T2: kills are counted by mode, as many as the shim counted', () => {
  const counts = countsOfExit(exitOf({ killed: { pid: 3, pgid: 1, cgroup: 2 } })).slice(1);
  assert.deepEqual(
    counts.map(({ labels, by }) => [labels, by]),
    [
      [{ mode: 'pid' }, 3],
      [{ mode: 'pgid' }, 1],
      [{ mode: 'job' }, 2],
    ],
  );
});
