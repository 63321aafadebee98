/*
 * One call of the command line, in memory: which command is meant, and how mistakes are told.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { runCli } from '../src/cli.ts';
import { readCaller } from '../src/config.ts';
import { CliError } from '../src/errors.ts';
import { formatErrorText } from '../src/render/error-text.ts';
import { createPaint } from '../src/render/paint.ts';
import { explainOpenFailure } from '../src/runs/open-failure.ts';
import { createFakeIo } from './support/fake-io.ts';

async function call(...argv: string[]) {
  const io = createFakeIo();
  const caller = readCaller({ argv, env: { HOME: '/h' }, cwd: '/', pid: 1, umask: 0o022 });
  const clock = createFakeClock();
  const status = await runCli({ caller, io, clock, random: createSeededRandom(1) });
  return { status, out: io.out(), err: io.err() };
}

test('without a command there is help, in the form that was asked for', async () => {
  assert.match((await call()).out, /^clawdfather \(clf\)/);
  assert.match((await call('-h')).out, /^clawdfather \(clf\)/);
  assert.ok(JSON.parse((await call('--json')).out));
});

test('what works everywhere may stand before the command', async () => {
  const { out } = await call('--no-color', '--state-dir', '/x', '--json', 'version');
  assert.equal((JSON.parse(out) as { version: string }).version.split('.').length, 3);
  assert.equal((await call('--state-dir=/x', '--json', 'version')).out, out);
  const missing = await call('--state-dir');
  assert.match(missing.err, /--state-dir needs a value/);
});

test('an empty state directory is a mistake, and not this one', async () => {
  const { status, err } = await call('ps', '--state-dir', '');
  assert.deepEqual(status, { kind: 'code', code: 125 });
  assert.match(err, /--state-dir is empty/);
});

test('mistakes are told in JSON when it was asked for, wherever that stands', async () => {
  for (const argv of [
    ['--json', 'nope'],
    ['nope', '--json'],
    ['wait', '--json', '--bogus', 'x'],
  ]) {
    const { err } = await call(...argv);
    assert.equal((JSON.parse(err) as { error: { code: string } }).error.code, 'usage');
  }
});

test('what the kernel refuses is not called a mistake of ours', async () => {
  const paint = createPaint(false);
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    syscall: 'write',
  });
  assert.equal(formatErrorText(full, paint), 'clf: ENOSPC: no space left on device, write\n');
  assert.match(formatErrorText(new Error('odd'), paint), /mistake in clawdfather/);
  const explained = await explainOpenFailure(full, '/s');
  assert.ok(explained instanceof CliError);
  assert.equal(explained.code, 'state-dir-unusable');
  assert.match(formatErrorText(explained, paint), /\/s cannot be used\n {2}because: ENOSPC/);
  const other = new Error('other');
  assert.equal(await explainOpenFailure(other, '/s'), other);
});

test('commands of two words: the action, the family alone, its help, a mistake', async () => {
  assert.match((await call('token', 'create', '--help')).out, /^Create a token for a program/);
  assert.match((await call('--json', 'token', 'revoke', '--help')).out, /^Revoke a token/);
  assert.match((await call('token', '--help')).out, /token create .*\n.*token revoke /);
  assert.match((await call('help', 'token')).out, /Usage: clf token ACTION/);
  assert.match((await call('help', 'token', 'create')).out, /^Create a token for a program/);
  assert.match((await call('token', 'crate')).err, /Did you mean clf token create\?/);
});

test('stop with a name says how a run is ended', async () => {
  const { status, err } = await call('stop', 'web');
  assert.deepEqual(status, { kind: 'code', code: 125 });
  assert.match(err, /clf kill web/);
});
