/*
 * `clf run` with real processes: bytes, codes, deadlines, input, signals, pipes.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { createCliRig, launcherPath } from '../support/cli-process.ts';

test('output, error output and exit code are those of the command', async (context) => {
  const rig = createCliRig(context);
  const result = await rig.clf('run', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3');
  assert.deepEqual(result, { code: 3, signal: null, stdout: 'out\n', stderr: 'err\n' });
});

test('what cannot be started is told as a shell does', async (context) => {
  const rig = createCliRig(context);
  const missing = await rig.clf('run', 'no-such-command');
  assert.equal(missing.code, 127);
  assert.match(missing.stderr, /no-such-command: command not found/);
  const plain = await rig.clf('run', '--', join(rig.stateDir, '..'));
  assert.equal(plain.code, 126);
  const nowhere = await rig.clf('run', '--cwd', '/no/such/place', '--', 'true');
  assert.equal(nowhere.code, 125);
  assert.match(nowhere.stderr, /cannot work in "\/no\/such\/place": it does not exist/);
  const inFile = await rig.clf('run', '--cwd', launcherPath, '--', 'true');
  assert.match(inFile.stderr, /cannot work in .*: it is not a directory/);
});

test('-e of a variable that is not set here is told, and stops nothing', async (context) => {
  const rig = createCliRig(context);
  const argv = ['run', '-e', 'NOTSET', '-e', 'HOME', '--', 'sh', '-c', 'echo "${NOTSET-none}"'];
  const { code, stdout, stderr } = await rig.clf(...argv);
  assert.deepEqual([code, stdout], [0, 'none\n']);
  assert.match(
    stderr,
    /^clf: warning: NOTSET is not set here, so -e NOTSET passes nothing on;.*\n$/,
  );
  const [run = '', ...rest] = argv;
  assert.equal((await rig.clf(run, '-q', ...rest)).stderr, '');
  const exec = await rig.clf('exec', '-e', 'NOTSET', '--', 'true');
  assert.match(exec.stderr, /NOTSET is not set here/);
});

test('an argument that is not UTF-8 is refused, not changed', async (context) => {
  const rig = createCliRig(context);
  const command = `'${process.execPath}' '${launcherPath}'`;
  const shell = (line: string) => spawnSync('bash', ['-c', line], { env: rig.env });
  const refused = shell(`${command} run -- echo $'a\\xffb'`);
  assert.equal(refused.status, 125);
  assert.match(refused.stderr.toString(), /not UTF-8/);
  const passed = shell(`${command} run -- echo $'a\\xef\\xbf\\xbdb'`);
  assert.equal(passed.stdout.toString(), 'a\ufffdb\n');
});

test('a stdout that cannot be written is told as that, and nothing is lost', async (context) => {
  const rig = createCliRig(context);
  const line = `'${process.execPath}' '${launcherPath}' run -- echo kept > /dev/full`;
  const full = spawnSync('bash', ['-c', line], { env: rig.env });
  assert.equal(full.status, 125);
  const said = full.stderr.toString();
  assert.match(said, /cannot be written to stdout\n {2}because: ENOSPC/);
  assert.doesNotMatch(said, /goes on/);
  const [, id = ''] = /clf logs (\S+)/.exec(said) ?? [];
  assert.equal((await rig.clf('logs', id)).stdout, 'kept\n');
});

test('T5: both deadlines give 124 and say which it was', async (context) => {
  const rig = createCliRig(context);
  const overall = await rig.clf('run', '--timeout', '300ms', '--', 'sleep', '60');
  assert.equal(overall.code, 124);
  assert.match(overall.stderr, /its time limit of 300ms/);
  const idle = await rig.clf('run', '--idle-timeout', '300ms', '--', 'sleep', '60');
  assert.equal(idle.code, 124);
  assert.match(idle.stderr, /300ms without output/);
});

test('death by a signal is 128 and its number', async (context) => {
  const rig = createCliRig(context);
  const result = await rig.clf('run', '--', 'sh', '-c', 'kill -SEGV $$');
  assert.equal(result.code, 139);
  assert.match(result.stderr, /killed by SIGSEGV/);
});

test('input arrives byte for byte, with its end', async (context) => {
  const rig = createCliRig(context);
  const input = Buffer.alloc(3_000_001, 'input and more of it \u0000\n');
  const result = await rig.clfWith({ input }, 'run', '--', 'sh', '-c', 'wc -c; echo done');
  assert.equal(result.stdout.replaceAll(' ', ''), '3000001\ndone\n');
});

test('a command that reads ends under nohup, whose input can only be written', async (context) => {
  const rig = createCliRig(context);
  const line = `'${process.execPath}' '${launcherPath}' run -- cat 0> /dev/null`;
  const result = spawnSync('sh', ['-c', line], { env: rig.env, timeout: 60_000 });
  assert.equal(result.status, 0, String(result.error ?? result.stderr));
});

test('many megabytes of output arrive byte for byte', async (context) => {
  const rig = createCliRig(context);
  const result = await rig.clf('run', '--', 'sh', '-c', 'seq 1 2000000');
  assert.equal(result.code, 0);
  assert.equal(result.stdout.length, 14_888_896);
  assert.ok(result.stdout.endsWith('1999999\n2000000\n'));
});

test('the first SIGINT is the command’s to handle; we end as it does', async (context) => {
  const rig = createCliRig(context);
  const handled = rig.start(
    {},
    'run',
    '--',
    'sh',
    '-c',
    'trap "echo caught; exit 5" INT; echo up; sleep 60 & wait',
  );
  await handled.saw('up');
  handled.child.kill('SIGINT');
  const result = await handled.result;
  assert.deepEqual([result.code, result.stdout], [5, 'up\ncaught\n']);

  const died = rig.start({}, 'run', '--', 'sh', '-c', 'echo up; exec sleep 60');
  await died.saw('up');
  died.child.kill('SIGINT');
  assert.equal(
    (await died.result).signal,
    'SIGINT',
    'we die of it, so that shells stop their loops',
  );
});

test('a second SIGINT ends a command that ignores the first', async (context) => {
  const rig = createCliRig(context);
  const stubborn = rig.start(
    {},
    'run',
    '--grace',
    '200ms',
    '--',
    'sh',
    '-c',
    'trap "echo no" INT TERM; echo up; while :; do sleep 0.1; done',
  );
  await stubborn.saw('up');
  stubborn.child.kill('SIGINT');
  await stubborn.saw('no');
  stubborn.child.kill('SIGINT');
  const result = await stubborn.result;
  assert.equal(result.code, 137);
  assert.match(result.stderr, /cancelled by cli:\S+ \(pid \d+\)/);
  assert.deepEqual(await rig.live(), []);
});

test('SIGTERM is passed on', async (context) => {
  const rig = createCliRig(context);
  const running = rig.start({}, 'run', '--', 'sh', '-c', 'echo up; exec sleep 60');
  await running.saw('up');
  running.child.kill('SIGTERM');
  assert.equal((await running.result).signal, 'SIGTERM');
});

test('SIGHUP and kill -9 leave the run alone; it can be followed again', async (context) => {
  const rig = createCliRig(context);
  for (const signal of ['SIGHUP', 'SIGKILL'] as const) {
    const gate = join(rig.env['HOME'] ?? '', `gate-${signal}`);
    const script = `echo up; until [ -e ${gate} ]; do sleep 0.05; done; echo after`;
    const first = rig.start({}, 'run', '-n', '--name', signal, '--', 'sh', '-c', script);
    await first.saw('up');
    first.child.kill(signal);
    assert.equal((await first.result).signal, signal);
    assert.equal((await rig.live()).length, 1);
    writeFileSync(gate, '');
    const followed = await rig.clf('logs', '-f', signal);
    assert.equal(followed.stdout, 'up\nafter\n');
    assert.equal((await rig.clf('wait', signal)).code, 0);
  }
});

test('a reader that goes away ends the run, and the exit code is that of SIGPIPE', async (context) => {
  const rig = createCliRig(context);
  const line = `${process.execPath} ${launcherPath} run -- yes | head -1; echo "\${PIPESTATUS[0]}"`;
  const shell = spawnSync('bash', ['-c', line], { env: rig.env, encoding: 'utf8' });
  assert.equal(shell.stdout, 'y\n141\n');
  const runs = (await rig.clf('ps', '-a', '--json')).stdout.trim().split('\n');
  const run = JSON.parse(runs[0] ?? '') as { exit: { reason: string; actor: string } };
  assert.deepEqual([run.exit.reason, run.exit.actor], ['manual-cancel', 'cli:epipe']);
});

test('a slow reader does not stop our own work: the lease is kept', async (context) => {
  const rig = createCliRig(context);
  const line = `${process.execPath} ${launcherPath} run --name slow -- sh -c 'seq 1 500000' | (sleep 2; md5sum)`;
  const shell = spawnSync('bash', ['-c', line], { env: rig.env, encoding: 'utf8' });
  const expected = spawnSync('bash', ['-c', 'seq 1 500000 | md5sum'], { encoding: 'utf8' });
  assert.equal(shell.stdout, expected.stdout);
});

test('environment, directory, labels and JSON', async (context) => {
  const rig = createCliRig(context);
  const result = await rig.clfWith(
    { env: { FOO: 'bar' } },
    ...'run --json -n --cwd / -e MORE=1 --name probe -l a=b -- sh -c'.split(' '),
    'echo "$FOO $MORE $PWD"; test -n "$CLAWDFATHER_RUN_ID"',
  );
  assert.equal(result.code, 0, result.stderr);
  const lines = result.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  assert.deepEqual(
    lines.map(({ type }) => type),
    ['started', 'output', 'exit'],
  );
  assert.deepEqual(lines[0]?.run?.labels, { name: 'probe', a: 'b' });
  assert.equal(Buffer.from(lines[1]?.data ?? '', 'base64').toString(), 'bar 1 /\n');
  assert.equal(lines[2]?.exit?.exitCode, 0);
});

interface Line {
  readonly type: string;
  readonly data?: string;
  readonly run?: { readonly labels: unknown };
  readonly exit?: { readonly exitCode: number };
}

test('T4: leftovers are named, and ended by kill', async (context) => {
  const rig = createCliRig(context);
  const result = await rig.clf(
    'run',
    '-n',
    '--name',
    'parent',
    '--',
    'sh',
    '-c',
    'sleep 61 & echo $!',
  );
  assert.equal(result.code, 0);
  assert.match(result.stderr, /left running: sleep \(\d+\); end them with: clf kill/);
  const pid = result.stdout.trim();
  assert.match(readFileSync(`/proc/${pid}/comm`, 'utf8'), /sleep/);
  assert.match((await rig.clf('ps')).stdout, /parent +ok, leftovers/, 'what lives is listed');
  const killed = await rig.clf('kill', 'parent');
  assert.equal(killed.code, 0, killed.stderr);
  assert.throws(() => readFileSync(`/proc/${pid}/comm`), 'the leftover is gone when kill returns');
});

test('T4: a second SIGINT takes the whole tree, and we stay until it is gone', async (context) => {
  const rig = createCliRig(context);
  const script =
    'trap "echo first" INT; (trap "" INT TERM; echo $BASHPID; exec sleep 61) & until wait; do :; done';
  const running = rig.start({}, 'run', '-n', '--', 'bash', '-c', script);
  await running.saw('\n');
  const pid = running.stdout().trim();
  running.child.kill('SIGINT');
  // Two that are under way at once are one to the kernel.
  await running.saw('first');
  running.child.kill('SIGINT');
  running.child.kill('SIGTERM');
  const { stderr } = await running.result;
  assert.throws(() => readFileSync(`/proc/${pid}/comm`), `${pid} is gone when we are`);
  assert.match(stderr, /cancelled by cli:\S+ \(pid \d+\)/);
});

test('an interrupt at any moment of the start leaves nothing running', async (context) => {
  const rig = createCliRig(context);
  await rig.clf('run', '--', 'true');
  const clock = createSystemClock();
  const startMs = clock.monotonicMs();
  await rig.clf('run', '--', 'true');
  const wholeMs = clock.monotonicMs() - startMs;
  const steps = 12;
  const starts = Array.from({ length: steps }, async (_, step) => {
    const running = rig.start({}, 'run', '-n', '--', 'sleep', '60');
    await clock.sleep((wholeMs * 1.5 * step) / steps);
    running.child.kill('SIGINT');
    const { code, signal } = await running.result;
    assert.ok(signal === 'SIGINT' || code === 130 || code === 143, `${step}: ${code} ${signal}`);
  });
  await Promise.all(starts);
  assert.deepEqual(await rig.live(), []);
});

test('a stuck reader does not keep us from dying: the second SIGTERM is ours', async (context) => {
  const rig = createCliRig(context);
  const running = rig.start({}, 'run', '-n', '--', 'sh', '-c', 'echo up; exec yes');
  await running.saw('up');
  running.child.stdout?.pause();
  // The pipe is full when the journal is much longer than what a pipe holds.
  const journal = join(rig.stateDir, 'runs', readdirSync(join(rig.stateDir, 'runs'))[0] ?? '');
  const clock = createSystemClock();
  const sizeOf = (): number =>
    readdirSync(journal).reduce((sum, name) => sum + statSync(join(journal, name)).size, 0);
  while (sizeOf() < 8_000_000) await clock.sleep(5);
  running.child.kill('SIGTERM');
  while ((await rig.live()).length > 0) await clock.sleep(20);
  const exited = once(running.child, 'exit');
  running.child.kill('SIGTERM');
  const [, signal] = (await exited) as [number | null, NodeJS.Signals | null];
  assert.equal(signal, 'SIGTERM');
  running.child.stdout?.resume();
  await running.result;
});
