/*
 * From flags to what the supervisor is asked for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSpec } from '../../src/commands/run-spec.ts';
import { spawnInputOf } from '../../src/place/start-here.ts';
import { runWishFrom } from '../../src/runs/run-wish.ts';
import { callWith } from '../support/configs.ts';

const ownEnv = { HOME: '/h', PATH: '/bin', EXTRA: 'x' };

function inputIn(env: Readonly<Record<string, string>>, ...argv: string[]) {
  const call = callWith(runSpec, argv, env);
  return spawnInputOf(runWishFrom(call, { cols: 90, rows: 20 }), call.config);
}

const inputOf = (...argv: string[]) => inputIn(ownEnv, ...argv);

test('without flags: pipes, no deadline, leftovers kept, our directory and environment', () => {
  assert.deepEqual(inputOf('ls', '-l'), {
    mode: 'child',
    argv: ['ls', '-l'],
    stdin: 'open',
    sessionId: 'cli',
    backendId: 'cli',
    labels: {},
    cwd: '/here',
    env: { HOME: '/h', PATH: '/bin', EXTRA: 'x' },
    overallTimeoutMs: undefined,
    leftovers: 'keep',
    ownerLoss: 'adopt',
    graceMs: 5_000,
    journal: { mode: 'ring', bytesMax: 2 ** 30 },
  });
});

test('a terminal run has a size and a terminal type', () => {
  const input = inputOf('--pty', 'top');
  assert.equal(input.mode, 'pty-argv');
  assert.equal(input.env['TERM'], 'xterm-256color');
  assert.deepEqual(input.mode === 'pty-argv' && [input.cols, input.rows], [90, 20]);
});

test('deadlines, limits, labels', () => {
  const flags =
    '--timeout 30s --idle-timeout 1m --grace 0 --nice 5 --limit-open-files 64 --limit-cpu 1m ' +
    '--limit-memory 1G --name web -l a=b --session s1 --journal-max 1M --cwd sub ' +
    '--leftovers fail --owner-loss kill -- x';
  const input = inputOf(...flags.split(' '));
  assert.equal(input.overallTimeoutMs, 30_000);
  assert.equal(input.noOutputTimeoutMs, 60_000);
  assert.equal(input.graceMs, 1, 'the least there is');
  assert.equal(input.nice, 5);
  assert.deepEqual(input.limits, { openFiles: 64, memoryBytes: 2 ** 30, cpuSeconds: 60 });
  assert.deepEqual(input.labels, { name: 'web', a: 'b' });
  assert.equal(input.scopeKey, 'name:cli:web', 'a name is for one living run');
  assert.deepEqual(input.journal, { mode: 'ring', bytesMax: 2 ** 20 });
  assert.equal(input.cwd, '/here/sub');
  assert.equal(input.leftovers, 'fail');
  assert.equal(input.ownerLoss, 'kill');
});

test("S3: the shell's own limits of open files are passed on, unless others are asked for", () => {
  const noted = { CLAWDFATHER_OPEN_FILES: '256:4096' };
  const limitsOf = (...argv: string[]) => inputIn(noted, ...argv);
  assert.deepEqual(limitsOf('x').limits, { openFiles: { soft: 256, hard: 4_096 } });
  assert.deepEqual(limitsOf('x').env, {}, 'the note is not for the command');
  assert.deepEqual(limitsOf('--limit-open-files', '64', 'x').limits, { openFiles: 64 });
});

test('a detached run has no input unless it is to be attached to', () => {
  const stdin = (...argv: string[]) => {
    const input = inputOf(...argv, 'cat');
    return input.mode === 'child' ? input.stdin : undefined;
  };
  assert.equal(stdin('-d'), 'closed');
  assert.equal(stdin('-d', '-i'), 'open');
  assert.equal(stdin('-n'), 'closed');
  assert.equal(stdin(), 'open');
});

test('the environment can be extended, or made clean first', () => {
  assert.equal(inputOf('-e', 'A=1', 'x').env['A'], '1');
  const clean = inputOf('--clean-env', '-e', 'EXTRA', 'x').env;
  assert.deepEqual(clean, { HOME: '/h', PATH: '/bin', EXTRA: 'x' });
});

test('nonsense is refused before anything is started', () => {
  assert.throws(() => inputOf('--leftovers', 'maybe', 'x'), /--leftovers is not one of/);
  assert.throws(() => inputOf('--name', '../up', 'x'), /--name is not a name/);
  assert.throws(() => inputOf('--', ''), /the command is empty/);
  assert.throws(() => inputOf('--grace', '2h', 'x'), /--grace is longer than an hour/);
});

test('a limit that the kernel cannot keep as it was asked for is refused, by its flag', () => {
  const seconds = /--limit-cpu is not a whole number of seconds, 1 or more: "/;
  for (const text of ['500ms', '0', '1.5', '1s1ms']) {
    assert.throws(() => inputOf('--limit-cpu', text, 'x'), seconds);
  }
  for (const flag of ['--limit-memory', '--limit-file-size']) {
    assert.throws(
      () => inputOf(flag, '0', 'x'),
      new RegExp(`^CliError: ${flag} must be more than 0`),
    );
  }
});
