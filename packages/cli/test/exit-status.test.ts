/*
 * The exit codes of docs/cli.md, cause by cause.
 */
import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { test } from 'node:test';
import { CodedError } from '@clawdfather/kit';
import { exitCodeOf, spawnFailureCode } from '../src/exit-status.ts';
import { exitWith } from './support/records.ts';

test("the command's own code passes through", () => {
  for (const code of [0, 1, 3, 124, 255]) assert.equal(exitCodeOf(exitWith({ code })), code);
});

test('death by a signal is 128 and its number', () => {
  const by = (signal: string): number =>
    exitCodeOf(exitWith({ reason: 'signal', code: undefined, signal }));
  assert.equal(by('SIGKILL'), 137);
  assert.equal(by('SIGSEGV'), 139);
  assert.equal(by('SIGTERM'), 143);
});

test('a timeout is 124, whatever the command made of it', () => {
  for (const reason of ['overall-timeout', 'no-output-timeout'] as const) {
    assert.equal(exitCodeOf(exitWith({ reason, code: 0 })), 124);
    assert.equal(exitCodeOf(exitWith({ reason, code: undefined, signal: 'SIGKILL' })), 124);
  }
});

test('a cancelled run shows how the command took it, but is no success', () => {
  assert.equal(exitCodeOf(exitWith({ reason: 'manual-cancel', code: 0 })), 125);
  assert.equal(exitCodeOf(exitWith({ reason: 'owner-lost', code: 0 })), 125);
  assert.equal(exitCodeOf(exitWith({ reason: 'manual-cancel', code: 7 })), 7);
  assert.equal(
    exitCodeOf(exitWith({ reason: 'manual-cancel', code: undefined, signal: 'SIGTERM' })),
    143,
  );
});

test('what could not be started is 127, 126 or our own 125', () => {
  const failed = (stage: string, errno: number): number =>
    spawnFailureCode(new CodedError('spawn-failed', 'x', { detail: { stage, errno } }));
  assert.equal(failed('exec', constants.errno.ENOENT), 127);
  assert.equal(failed('exec', constants.errno.EACCES), 126);
  assert.equal(failed('exec', constants.errno.ENOEXEC), 126);
  assert.equal(failed('cwd', constants.errno.ENOENT), 125);
  assert.equal(spawnFailureCode(new Error('other')), 125);
});

test('a run that failed for another cause is never 0', () => {
  assert.equal(exitCodeOf(exitWith({ reason: 'ownership-escape', code: 0 })), 125);
  assert.equal(exitCodeOf(exitWith({ reason: 'ownership-escape', code: 7 })), 7);
  assert.equal(exitCodeOf(exitWith({ reason: 'host-rebooted', code: undefined })), 125);
  assert.equal(exitCodeOf(exitWith({ reason: 'unknown', code: undefined })), 125);
  assert.equal(
    exitCodeOf(exitWith({ reason: 'out-of-memory', code: undefined, signal: 'SIGKILL' })),
    137,
  );
});
