/*
 * The grammar of the command line, and what it says to those who mistype.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHelpWanted } from '../../src/args/parse.ts';
import { readWords } from '../../src/args/read-words.ts';
import { serveSpec } from '../../src/commands/gateway-specs.ts';
import { runSpec } from '../../src/commands/run-spec.ts';
import { killSpec, logsSpec, psSpec, waitSpec } from '../../src/commands/specs.ts';
import { execSpec } from '../../src/commands/tool-specs.ts';
import { CliError } from '../../src/errors.ts';
import { parseWith } from '../support/configs.ts';

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
    const { flags, operands } = parseWith(logsSpec, argv);
    assert.equal(flags.tail, 5, argv.join(' '));
    assert.equal(operands.run, 'x');
  }
});

test('short switches can be joined, the last one may take a value', () => {
  const { flags } = parseWith(logsSpec, ['-ftn', '3', 'x']);
  assert.ok(flags.follow && flags.timestamps);
  assert.equal(flags.tail, 3);
});

test('a signal may be written as kill(1) takes it', () => {
  const rows = [
    ['-9', 'SIGKILL'],
    ['-KILL', 'SIGKILL'],
    ['-SIGKILL', 'SIGKILL'],
    ['-sKILL', 'SIGKILL'],
    ['-15', 'SIGTERM'],
  ] as const;
  for (const [word, signal] of rows) {
    const { flags, operands } = parseWith(killSpec, [word, 'web']);
    assert.deepEqual([flags.signal, operands.runs], [signal, ['web']], word);
  }
  assert.match(
    hintOf(() => parseWith(killSpec, ['-KILLL', 'web'])),
    /--signal is not a signal: "KILLL" \| Did you mean KILL\?/,
  );
  // Elsewhere it is what it was.
  assert.match(
    hintOf(() => parseWith(waitSpec, ['-9', 'web'])),
    /wait has no flag -9/,
  );
});

test('a flag that is known from elsewhere is answered with ours', () => {
  for (const flag of ['--port', '--host', '-p']) {
    assert.match(
      hintOf(() => parseWith(serveSpec, [flag, '8420'])),
      /serve has no flag .*--listen 127\.0\.0\.1:8420/,
    );
  }
});

test('after the first operand of run everything belongs to the command', () => {
  const { flags, isJson, operands } = parseWith(runSpec, ['-d', 'ls', '-la', '--json', '--', 'x']);
  assert.ok(flags.detach);
  assert.ok(!isJson);
  assert.deepEqual(operands.command, ['ls', '-la', '--json', '--', 'x']);
});

test('two dashes end the flags, also before something that looks like one', () => {
  const { operands } = parseWith(runSpec, ['--pty', '--', '-weird', '--name']);
  assert.deepEqual(operands.command, ['-weird', '--name']);
});

test('an empty value is a value', () => {
  const { flags } = parseWith(runSpec, ['--env', 'A=', '--session=', 'true']);
  assert.deepEqual(flags.env, [{ name: 'A', value: '' }]);
  assert.equal(flags.session, '');
});

test('repeatable flags keep their order; others may not be repeated', () => {
  assert.deepEqual(parseWith(runSpec, ['-e', 'A=1', '-eB=2', 'x']).flags.env, [
    { name: 'A', value: '1' },
    { name: 'B', value: '2' },
  ]);
  assert.match(
    hintOf(() => parseWith(runSpec, ['--cwd', 'a', '--cwd', 'b', 'x'])),
    /--cwd is given twice/,
  );
});

test('an unknown flag names its nearest neighbour', () => {
  assert.match(
    hintOf(() => parseWith(runSpec, ['--detatch', 'x'])),
    /no flag --detatch \| Did you mean --detach\?/,
  );
  assert.match(
    hintOf(() => parseWith(psSpec, ['--fliter', 'x'])),
    /Did you mean --filter\?/,
  );
});

test('an unknown flag of run says where flags of the command go', () => {
  assert.match(
    hintOf(() => parseWith(runSpec, ['-z', 'ls'])),
    /Flags of the command come after it/,
  );
});

test('a missing value, a value too many, and missing or extra operands are told', () => {
  assert.match(
    hintOf(() => parseWith(runSpec, ['--cwd'])),
    /--cwd needs a value: --cwd DIR/,
  );
  assert.match(
    hintOf(() => parseWith(runSpec, ['--cwd', '--', 'x'])),
    /--cwd needs a value/,
  );
  assert.match(
    hintOf(() => parseWith(runSpec, ['--pty=yes', 'x'])),
    /--pty takes no value/,
  );
  assert.match(
    hintOf(() => parseWith(waitSpec, [])),
    /RUN is missing: clf wait \[flags\] RUN …/,
  );
  assert.match(
    hintOf(() => parseWith(psSpec, ['extra'])),
    /"extra"/,
  );
});

test('help is given whatever else is missing', () => {
  assert.ok(isHelpWanted(readWords(waitSpec, ['--help'])));
  assert.ok(isHelpWanted(readWords(waitSpec, ['--timeout', 'soon', '-h'])));
});

test('values are of the kind that was declared, and undefined when the flag was not given', () => {
  const { flags } = parseWith(runSpec, ['--limit-cpu', '1m30s', '--limit-memory', '2K', 'x']);
  const limitCpu: number | undefined = flags.limitCpu;
  assert.equal(limitCpu, 90);
  assert.equal(flags.limitMemory, 2_048);
  assert.equal(flags.limitProcesses, undefined);
  const signal: NodeJS.Signals | undefined = parseWith(killSpec, ['-s', 'hup', 'x']).flags.signal;
  assert.equal(signal, 'SIGHUP');
});

test('a flag that was not declared does not compile', () => {
  const { flags, operands } = parseWith(logsSpec, ['x']);
  // @ts-expect-error It is called `tail`.
  assert.equal(flags.tails, undefined);
  // @ts-expect-error It is called `run`.
  assert.equal(operands.runs, undefined);
});

test('a flag that decides a setting is no value: the settings have it', () => {
  const { flags, callSettings } = parseWith(runSpec, ['--grace', '2s', '--no-color', 'x']);
  // @ts-expect-error It is config.values['run.grace'], where the file and the environment count too.
  assert.equal(flags.grace, undefined);
  assert.deepEqual(callSettings.settings.get('run.grace'), { name: '--grace', text: '2s' });
  assert.deepEqual(callSettings.settings.get('color'), { name: '--no-color', text: 'never' });
});

test('a wrong value names its flag and what it should look like', () => {
  assert.match(
    hintOf(() => parseWith(runSpec, ['--limit-cpu', 'soon', 'x'])),
    /^--limit-cpu is not a duration: "soon" \| Write it like/,
  );
  assert.match(
    hintOf(() => parseWith(killSpec, ['-s', 'TREM', 'x'])),
    /^--signal is not a signal: "TREM" \| Did you mean TERM\?/,
  );
  assert.match(
    hintOf(() => parseWith(execSpec, ['--ask', 'allways', 'x'])),
    /^--ask is not one of off, on-miss, always: "allways" \| Did you mean always\?/,
  );
});
