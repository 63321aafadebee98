/*
 * No result is larger than a context window bears, whoever decides how large it could be.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExecResult, ProcessResult, RunSummary } from '@clawdfather/protocol';
import { fitResult, fitText } from '../../src/mcp/fit-result.ts';
import { formatProcessResult } from '../../src/mcp/process-text.ts';

const charactersMax = 17_000;

function run(index: number, command: string): RunSummary {
  return {
    runId: `run${index}`,
    state: 'exited',
    command,
    cwd: '/place',
    host: 'local',
    pty: false,
    leftovers: 0,
  };
}

test('a list is as long as fits, says that there is more, and shortens commands', () => {
  const runs = Array.from({ length: 1_000 }, (_, index) => run(index, 'x'.repeat(100_000)));
  const fitted = fitResult<ProcessResult>({ action: 'list', runs, isMore: false });
  assert.ok(JSON.stringify(fitted).length < charactersMax);
  assert.ok(formatProcessResult(fitted).length < charactersMax);
  assert.ok(fitted.action === 'list' && fitted.isMore && fitted.runs.length > 20);
});

test('a short list is left as it is', () => {
  const result: ProcessResult = { action: 'list', runs: [run(1, 'ls')], isMore: false };
  assert.deepEqual(fitResult(result), result);
});

test('a line is spelled as it was asked for, on pipes as on a terminal and while it is held', () => {
  const spelled = (command: string): string => {
    const fitted = fitResult<ProcessResult>({
      action: 'list',
      runs: [run(1, command)],
      isMore: false,
    });
    return fitted.action === 'list' ? (fitted.runs[0]?.command ?? '') : '';
  };
  assert.equal(spelled(String.raw`/bin/sh -c 'touch a; echo '\''b c'\'''`), "touch a; echo 'b c'");
  assert.equal(spelled('/bin/sh -c ls'), 'ls');
  const others = ["/bin/sh -c 'ls' x", '/bin/sh', "/bin/bash -c 'ls x'", "/bin/sh -c 'cut of"];
  for (const other of others) assert.equal(spelled(other), other);
});

test('of a huge screen the bottom is shown, in its place', () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(1_000, '.'));
  const fitted = fitResult({
    action: 'screen',
    runId: 'r1',
    cols: 1_000,
    rows: 1_000,
    lines,
    cursor: { row: 999, column: 0, isVisible: true },
    title: '',
    isAlternate: false,
    isRunning: true,
  } satisfies ProcessResult);
  assert.equal(fitted.lines.length, 1_000);
  assert.equal(fitted.lines[999], lines[999]);
  assert.ok(fitted.lines.join('\n').length < charactersMax);
});

test('of a thousand processes left behind some are named and the others counted', () => {
  const leftovers = Array.from({ length: 1_000 }, (_, index) => ({ pid: index, name: 'sleep' }));
  const fitted = fitResult({
    status: 'completed',
    runId: 'r1',
    exitCode: 0,
    reason: 'exit',
    durationMs: 1,
    output: '',
    cursor: 'c',
    cwd: '/',
    leftovers,
    notes: [],
  } satisfies ExecResult);
  assert.equal(fitted.leftovers.length, 50);
  assert.deepEqual(fitted.notes, ['it left 950 more processes running than are named']);
});

test('a long text says that it was cut', () => {
  assert.equal(fitText('abc', 3), 'abc');
  assert.equal(fitText('abcd', 3), 'abc…');
});
