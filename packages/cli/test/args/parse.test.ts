/*
 * The grammar of the command line, and what it says to those who mistype.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from '../../src/args/parse.ts';
import { runSpec } from '../../src/commands/run-spec.ts';
import { logsSpec, psSpec, waitSpec } from '../../src/commands/specs.ts';
import { CliError } from '../../src/errors.ts';

function hintOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof CliError);
    assert.equal(error.code, 'usage');
    return `${error.message} | ${error.hint ?? ''}`;
  }
  return assert.fail('nothing was thrown');
}

test('values come after a space, an equals sign, or a short letter', () => {
  for (const argv of [
    ['--tail', '5', 'x'],
    ['--tail=5', 'x'],
    ['-n5', 'x'],
    ['-n', '5', 'x'],
    ['x', '-n=5'],
  ]) {
    const args = parseArgs(logsSpec, argv);
    assert.equal(args.value('tail'), '5', argv.join(' '));
    assert.deepEqual(args.operands, ['x']);
  }
});

test('short switches can be joined, the last one may take a value', () => {
  const args = parseArgs(logsSpec, ['-ftn', '3', 'x']);
  assert.ok(args.has('follow') && args.has('timestamps'));
  assert.equal(args.value('tail'), '3');
});

test('after the first operand of run everything belongs to the command', () => {
  const args = parseArgs(runSpec, ['-d', 'ls', '-la', '--json', '--', 'x']);
  assert.ok(args.has('detach'));
  assert.ok(!args.has('json'));
  assert.deepEqual(args.operands, ['ls', '-la', '--json', '--', 'x']);
});

test('two dashes end the flags, also before something that looks like one', () => {
  const args = parseArgs(runSpec, ['--pty', '--', '-weird', '--name']);
  assert.deepEqual(args.operands, ['-weird', '--name']);
});

test('an empty value is a value', () => {
  const args = parseArgs(runSpec, ['--env', 'A=', '--name=', 'true']);
  assert.deepEqual(args.values('env'), ['A=']);
  assert.equal(args.value('name'), '');
});

test('repeatable flags keep their order; others may not be repeated', () => {
  assert.deepEqual(parseArgs(runSpec, ['-e', 'A=1', '-eB=2', 'x']).values('env'), ['A=1', 'B=2']);
  assert.match(
    hintOf(() => parseArgs(runSpec, ['--cwd', 'a', '--cwd', 'b', 'x'])),
    /--cwd is given twice/,
  );
});

test('an unknown flag names its nearest neighbour', () => {
  assert.match(
    hintOf(() => parseArgs(runSpec, ['--detatch', 'x'])),
    /no flag --detatch \| Did you mean --detach\?/,
  );
  assert.match(
    hintOf(() => parseArgs(psSpec, ['--fliter', 'x'])),
    /Did you mean --filter\?/,
  );
});

test('an unknown flag of run says where flags of the command go', () => {
  assert.match(
    hintOf(() => parseArgs(runSpec, ['-z', 'ls'])),
    /Flags of the command come after it/,
  );
});

test('a missing value, a value too many, and missing or extra operands are told', () => {
  assert.match(
    hintOf(() => parseArgs(runSpec, ['--cwd'])),
    /--cwd needs a value: --cwd DIR/,
  );
  assert.match(
    hintOf(() => parseArgs(runSpec, ['--cwd', '--', 'x'])),
    /--cwd needs a value/,
  );
  assert.match(
    hintOf(() => parseArgs(runSpec, ['--pty=yes', 'x'])),
    /--pty takes no value/,
  );
  assert.match(
    hintOf(() => parseArgs(waitSpec, [])),
    /something is missing: clf wait \[flags\] RUN …/,
  );
  assert.match(
    hintOf(() => parseArgs(psSpec, ['extra'])),
    /"extra"/,
  );
});

test('help is given whatever else is missing', () => {
  assert.ok(parseArgs(waitSpec, ['--help']).has('help'));
});
