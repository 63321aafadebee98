/*
 * What is told of a run is what happened: when it last said something, when it and what it left ended, and who asked.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CliRig, createCliRig } from '../support/cli-process.ts';

interface Shown {
  readonly startedAt: string;
  readonly lastOutputAt: string | null;
  readonly outputBytes: number;
  readonly graceMs: number;
  readonly limits: object;
  readonly pid: number;
  readonly shimPid: number;
  readonly treeEndedAt: string | null;
  readonly exit: {
    readonly reason: string;
    readonly actor: string | null;
    readonly startedAt: string;
    readonly endedAt: string;
    readonly lastSeenAt: string | null;
    readonly usage: { readonly userMs: number; readonly systemMs: number };
    readonly treeEnd: { readonly endedAt: string; readonly actor: string | null } | null;
  };
}

async function show(rig: CliRig, run: string): Promise<Shown> {
  return JSON.parse((await rig.clf('show', '--json', run)).stdout) as Shown;
}

const me = `cli:${userInfo().username}`;

test('the last output is the newest, also of a living run that nobody owns', async (t) => {
  const rig = createCliRig(t);
  await rig.clf(
    'run',
    '-d',
    '-i',
    '--name',
    'says',
    '--',
    'sh',
    '-c',
    'while read x; do echo $x; done',
  );
  assert.equal((await show(rig, 'says')).lastOutputAt, null);
  const follower = rig.start({}, 'logs', '-f', 'says');
  await rig.clf('input', 'says', 'one\n');
  await follower.saw('one');
  const { lastOutputAt: first } = await show(rig, 'says');
  await rig.clf('input', 'says', 'two\n');
  await follower.saw('two');
  const { lastOutputAt: second, outputBytes } = await show(rig, 'says');
  assert.ok(first !== null && second !== null && first < second, `${first} ${second}`);
  assert.ok(outputBytes > 0);
  await rig.clf('kill', 'says');
  await follower.result;
  assert.equal((await show(rig, 'says')).lastOutputAt, second, 'an end is no output');
});

test('a run that said nothing has no last output, however it ended', async (t) => {
  const rig = createCliRig(t);
  const idle = await rig.clf(
    'run',
    '--name',
    'idle',
    '--idle-timeout',
    '200ms',
    '--',
    'sleep',
    '60',
  );
  assert.equal(idle.code, 124);
  const ended = rig.start({}, 'run', '--name', 'ended', '--', 'sleep', '60');
  while ((await rig.live()).length === 0);
  ended.child.kill('SIGTERM');
  await ended.result;
  for (const run of ['idle', 'ended']) assert.equal((await show(rig, run)).lastOutputAt, null, run);
});

test('T3: who sent the signal that a run died of is told', async (t) => {
  const rig = createCliRig(t);
  await rig.clf('run', '-d', '--name', 'killed', '--', 'sleep', '60');
  await rig.clf('kill', '-9', 'killed');
  const waited = await rig.clf('wait', 'killed');
  assert.match(waited.stderr, new RegExp(`killed by SIGKILL, sent by ${me} \\(pid \\d+\\)`));
  const { exit } = await show(rig, 'killed');
  assert.deepEqual([exit.reason, exit.actor?.split(' ')[0]], ['signal', me]);
  const foreground = rig.start(
    {},
    'run',
    '--name',
    'fore',
    '--',
    'sh',
    '-c',
    'echo up; exec sleep 60',
  );
  await foreground.saw('up');
  foreground.child.kill('SIGTERM');
  assert.equal((await foreground.result).signal, 'SIGTERM');
  assert.equal((await show(rig, 'fore')).exit.actor?.split(' ')[0], me);
});

test('T4: kill says what it ended of a run that is over, and show says when and by whom', async (t) => {
  const rig = createCliRig(t);
  await rig.clf('run', '-q', '--name', 'left', '--', 'sh', '-c', 'sleep 60 & sleep 60 & exit 0');
  assert.match((await rig.clf('show', 'left')).stdout, /^left running +sleep \(\d+\), sleep/m);
  const killed = await rig.clf('kill', 'left');
  assert.match(killed.stdout, /^\w+ ok, 2 left processes ended$/m);
  const { exit, treeEndedAt } = await show(rig, 'left');
  assert.equal(exit.treeEnd?.actor?.split(' ')[0], me);
  assert.equal(treeEndedAt, exit.treeEnd?.endedAt);
  assert.ok(exit.endedAt < (treeEndedAt ?? ''), 'later than the command');
  const { stdout } = await rig.clf('show', 'left');
  assert.match(stdout, /^Run \w+ ended by itself with exit code 0\.$/m);
  assert.match(stdout, new RegExp(`^they ended +\\S+ by ${me} .*: 2 left processes ended$`, 'm'));
});

test('a run whose shim was killed says that its end was only found', async (t) => {
  const rig = createCliRig(t);
  await rig.clf('run', '-d', '--name', 'lost', '--', 'sleep', '60');
  const { shimPid } = await show(rig, 'lost');
  process.kill(shimPid, 'SIGKILL');
  await rig.clf('wait', 'lost');
  const { exit } = await show(rig, 'lost');
  assert.ok(exit.lastSeenAt !== null && exit.lastSeenAt <= exit.endedAt);
  const { stdout } = await rig.clf('show', 'lost');
  assert.match(stdout, /^ended +found dead at \S+, last sign of life \S+$/m);
});

test('the processor time of a run that was ended is that of its whole tree', async (t) => {
  const rig = createCliRig(t);
  // It outlives its parent, which never waits for it.
  const burn =
    'trap "" TERM; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo burnt; sleep 60';
  const parent = `sh -c '${burn}' & exec sleep 60`;
  const run = rig.start({}, 'run', '--name', 'tree', '--grace', '100ms', '--', 'sh', '-c', parent);
  await run.saw('burnt');
  await rig.clf('kill', 'tree');
  await run.result;
  const { usage } = (await show(rig, 'tree')).exit;
  assert.ok(usage.userMs + usage.systemMs > 20, JSON.stringify(usage));
});

test('the times of a run are in order, and what it was started with is shown', async (t) => {
  const rig = createCliRig(t);
  const limits = ['--limit-cpu', '7s', '--grace', '3s'];
  await rig.clf('run', '--name', 'short', ...limits, '--', 'true');
  const { startedAt, exit, graceMs, limits: shown } = await show(rig, 'short');
  assert.ok(startedAt <= exit.endedAt);
  assert.equal(startedAt, exit.startedAt);
  assert.deepEqual([graceMs, shown], [3_000, { cpuSeconds: 7 }]);
  const { stdout } = await rig.clf('show', 'short');
  assert.match(stdout, /^limits +cpu 7\.0s$/m);
  assert.match(stdout, /^grace +3\.0s$/m);
});

test('a cancelled run is no success, even if its command took it well', async (t) => {
  const rig = createCliRig(t);
  const script = 'trap "exit 0" TERM; echo up; while :; do sleep 0.02; done';
  const run = rig.start({}, 'run', '--name', 'tidy', '--', 'sh', '-c', script);
  await run.saw('up');
  await rig.clf('kill', 'tidy');
  assert.equal((await run.result).code, 125);
  assert.equal((await rig.clf('wait', 'tidy')).code, 125);
});

test('why a command could not be started is told in the same words at once and later', async (t) => {
  const rig = createCliRig(t);
  const script = join(rig.env['HOME'] ?? '', 'script');
  writeFileSync(script, '#!/no/such/interpreter -x\n', { mode: 0o755 });
  const told: Readonly<Record<string, string>> = {
    'no-such-program': 'no-such-program: command not found',
    './nothing': './nothing: no such file',
    [script]: `${script}: its interpreter /no/such/interpreter (its first line) is not there`,
    '/etc': '/etc: is a directory',
    '/etc/passwd': '/etc/passwd: not executable',
  };
  for (const [index, [program, words]] of Object.entries(told).entries()) {
    const name = `start${index}`;
    const { stderr } = await rig.clf('run', '--name', name, '--', program);
    assert.ok(stderr.startsWith(`clf: ${words}\n`), stderr);
    const waited = await rig.clf('wait', name);
    assert.ok(waited.stderr.includes(`could not be started: ${words}`), waited.stderr);
    assert.ok((await rig.clf('show', name)).stdout.includes(`\ndetail      ${words}\n`));
  }
});

test('a limit of processor time that ends a run is named', async (t) => {
  const rig = createCliRig(t);
  const { stderr } = await rig.clf(
    'run',
    '--limit-cpu',
    '1s',
    '--',
    'sh',
    '-c',
    'while :; do :; done',
  );
  assert.match(
    stderr,
    /killed by SIGXCPU[^:]*: its limit of processor time was reached \(--limit-cpu/,
  );
});

test('logs -f says how a run ended that did not end by itself', async (t) => {
  const rig = createCliRig(t);
  await rig.clf('run', '-d', '--name', 'long', '--', 'sh', '-c', 'echo up; exec sleep 60');
  const follower = rig.start({}, 'logs', '-f', 'long');
  await follower.saw('up');
  await rig.clf('kill', 'long');
  const { stderr, code } = await follower.result;
  assert.match(stderr, new RegExp(`^clf: run \\w+ cancelled by ${me} `));
  assert.equal(code, 0);
  assert.equal((await rig.clf('logs', 'long')).stderr, '', 'not where no person reads');
});

test('wait says of a stopped run that it is stopped, and how it goes on', async (t) => {
  const rig = createCliRig(t);
  await rig.clf('run', '-d', '--name', 'halted', '--', 'sleep', '600');
  await rig.clf('kill', '-STOP', 'halted');
  const { stderr } = await rig.clf('wait', '--timeout', '50ms', 'halted');
  assert.match(
    stderr,
    /^clf: still stopped after 50ms; it goes on with: clf kill -s CONT \w{12}$/m,
  );
});

test('state=failed is every end but ok', async (t) => {
  const rig = createCliRig(t);
  await rig.clf('run', '--name', 'good', '--', 'true');
  await rig.clf('run', '--name', 'bad', '--', 'sh', '-c', 'exit 3');
  await rig.clf('run', '--name', 'shot', '--', 'sh', '-c', 'kill -9 $$');
  const { stdout } = await rig.clf('ps', '-f', 'state=failed');
  assert.match(stdout, / bad /);
  assert.match(stdout, / shot /);
  assert.doesNotMatch(stdout, / good /);
  const { stderr } = await rig.clf('ps', '-f', 'state=whatever');
  assert.match(stderr, /Known: .*ok, failed, .*'exit N', SIGNAME/);
});
