/*
 * The other commands on real runs: ps, logs, wait, kill, rm, gc, doctor.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { createCliRig, launcherPath } from '../support/cli-process.ts';

const lines = (text: string): string[] => text.split('\n').filter(Boolean);
const parse = (line: string | undefined): Record<string, unknown> =>
  JSON.parse(line ?? '') as Record<string, unknown>;

test('ps: nothing yet, one running, and it is listed with its name', async (context) => {
  const rig = createCliRig(context);
  assert.match((await rig.clf('ps')).stdout, /No runs yet\. Start one: clf run/);
  const id = (await rig.clf('run', '-d', '--name', 'web', '--', 'sleep', '60')).stdout.trim();
  assert.match(id, /^[0-9a-z]{16}$/);
  const table = (await rig.clf('ps')).stdout;
  assert.match(table, new RegExp(`^${id.slice(0, 12)} +web +running .* sleep 60$`, 'm'));
  assert.equal((await rig.clf('ps', '-q', '--filter', 'name=web')).stdout, `${id}\n`);
  assert.equal((await rig.clf('ps', '-q', '--filter', 'name=other')).stdout, '');
  const json = parse((await rig.clf('ps', '--json')).stdout);
  assert.deepEqual([json['id'], json['state'], json['name']], [id, 'running', 'web']);
});

test('logs: all, the tail, one stream, since a cursor, and following to the end', async (context) => {
  const rig = createCliRig(context);
  const script = 'echo one; echo oops >&2; echo two; sleep 1; echo three';
  await rig.clf('run', '-d', '--name', 'talk', '--', 'sh', '-c', script);
  const followed = await rig.clf('logs', '-f', 'talk');
  assert.deepEqual([followed.stdout, followed.stderr], ['one\ntwo\nthree\n', 'oops\n']);
  assert.equal((await rig.clf('logs', '--tail', '1', 'talk')).stdout, 'three\n');
  assert.equal((await rig.clf('logs', '--stderr', 'talk')).stdout, '');
  assert.match((await rig.clf('logs', '-t', '--stdout', 'talk')).stdout, /^\d{4}-.*Z one$/m);

  const events = lines((await rig.clf('logs', '--json', 'talk')).stdout).map(parse);
  const cursor = String(events[0]?.['cursor']);
  // How much the shim puts into one event is its own affair.
  const later = events.slice(1).filter(({ stream }) => stream === 'stdout');
  const expected = later.map(({ data }) => Buffer.from(String(data), 'base64').toString()).join('');
  const rest = await rig.clf('logs', '--since', cursor, '--cursor', '--stdout', 'talk');
  assert.equal(rest.stdout, expected);
  assert.match(expected, /three\n$/);
  const end = /cursor: (\S+)/.exec(rest.stderr)?.[1] ?? '';
  assert.equal((await rig.clf('logs', '--since', end, 'talk')).stdout, '');
  const bad = await rig.clf('logs', '--since', 'what.ever', 'talk');
  assert.deepEqual([bad.code, bad.stdout], [125, '']);
  assert.match(bad.stderr, /cursor-invalid/);
  const unclear = await rig.clf('logs', '--since', 'what?', 'talk');
  assert.deepEqual([unclear.code, unclear.stdout], [125, '']);
  assert.match(unclear.stderr, /neither a cursor nor a time/);
});

test('T4: logs shows what leftovers say, and follows them beyond the exit', async (context) => {
  const rig = createCliRig(context);
  const gate = join(rig.env['HOME'] ?? '', 'gate');
  const script = `(until [ -e ${gate} ]; do sleep 0.05; done; echo later) & echo first`;
  await rig.clf('run', '-n', '--name', 'talk', '--', 'sh', '-c', script);
  assert.equal((await rig.clf('logs', 'talk')).stdout, 'first\n');
  const following = rig.start({}, 'logs', '-f', 'talk');
  await following.saw('first');
  writeFileSync(gate, '');
  assert.equal((await following.result).stdout, 'first\nlater\n');
  assert.equal((await rig.clf('logs', 'talk')).stdout, 'first\nlater\n');
  assert.equal((await rig.clf('logs', '-f', '--tail', '1', 'talk')).stdout, 'later\n');
});

test('logs of a run that never pauses has an end', async (context) => {
  const rig = createCliRig(context);
  const id = (await rig.clf('run', '-d', '--journal-max', '4M', '--', 'yes')).stdout.trim();
  const { code, stdout } = await rig.clf('logs', '--tail', '2', id);
  assert.deepEqual([code, stdout], [0, 'y\ny\n']);
});

test('wait: the code of the last one, and a limit of its own', async (context) => {
  const rig = createCliRig(context);
  await rig.clf('run', '-d', '--name', 'a', '--', 'true');
  await rig.clf('run', '-d', '--name', 'b', '--', 'sh', '-c', 'sleep 0.5; exit 6');
  await rig.clf('run', '-d', '--name', 'c', '--', 'sleep', '60');
  assert.equal((await rig.clf('wait', 'a', 'b')).code, 6);
  const limited = await rig.clf('wait', '--timeout', '200ms', 'c');
  assert.equal(limited.code, 124);
  const told = lines((await rig.clf('wait', '--json', 'a', 'b')).stdout).map(parse);
  assert.deepEqual(
    told.map(({ exit }) => (exit as { exitCode: number }).exitCode),
    [0, 6],
  );
});

test('wait: what could not be started is told by its code, later too', async (context) => {
  const rig = createCliRig(context);
  assert.equal((await rig.clf('run', '-d', '--name', 'gone', '--', 'no-such-command')).code, 127);
  assert.equal((await rig.clf('wait', 'gone')).code, 127);
  assert.equal((await rig.clf('run', '-d', '--name', 'plain', '--', '/etc/passwd')).code, 126);
  assert.equal((await rig.clf('wait', 'plain')).code, 126);
});

test('a run that was stopped says so, and what a living run uses is shown', async (context) => {
  const rig = createCliRig(context);
  const id = (await rig.clf('run', '-d', '--', 'sleep', '60')).stdout.trim();
  assert.match(
    (await rig.clf('show', id)).stdout,
    /^state +running$[^]*^cpu time +\d+ms$[^]*^memory +\S+$[^]*^processes +1$/m,
  );
  await rig.clf('kill', '-STOP', id);
  assert.match((await rig.clf('ps')).stdout, /^\S+ +stopped /m);
  const { stdout: stopped } = await rig.clf('show', id);
  assert.match(stopped, /^state +stopped\ncontinue it +clf kill -s CONT \w{12}$/m);
  assert.match((await rig.clf('top', '--once')).stdout, / stopped /);
  await rig.clf('kill', '-CONT', id);
  assert.match((await rig.clf('ps')).stdout, /^\S+ +running /m);
});

test('the first steps of the help page come back by themselves, and work', async (context) => {
  const rig = createCliRig(context);
  const page = (await rig.clf('help')).stdout;
  const steps = lines(page.split('To begin:\n').at(-1) ?? '').map((line) => line.trim());
  assert.ok(steps.length >= 3, page);
  const clf = `clf() { ${process.execPath} ${launcherPath} "$@"; }`;
  for (const step of steps) {
    const { status, stderr } = spawnSync('sh', ['-c', `${clf}; ${step}`], {
      env: rig.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    assert.equal(status, 0, `${step}: ${String(stderr)}`);
  }
  assert.deepEqual(await rig.live(), []);
});

test('kill -9: as kill(1) is typed, by number or by name', async (context) => {
  const rig = createCliRig(context);
  for (const word of ['-9', '-KILL']) {
    const id = (await rig.clf('run', '-d', '--', 'sleep', '60')).stdout.trim();
    const { code, stdout } = await rig.clf('kill', word, id);
    assert.deepEqual([code, stdout], [0, `${id}\n`]);
    assert.equal((await rig.clf('wait', id)).code, 137);
  }
});

test('a run without input says so, to keys, text and pastes alike', async (context) => {
  const rig = createCliRig(context);
  const id = (await rig.clf('run', '-d', '--', 'sleep', '60')).stdout.trim();
  for (const argv of [
    ['send-keys', id, 'Enter'],
    ['input', id, 'yes'],
    ['paste', id, 'yes'],
  ]) {
    const { code, stderr } = await rig.clf(...argv);
    assert.equal(code, 125);
    assert.match(
      stderr,
      new RegExp(`^clf: run ${id.slice(0, 12)} has no input, so nothing can be sent`),
    );
    assert.match(stderr, /started without one \(clf run -d, or -n\).* clf run -d -i -- COMMAND\n/);
    assert.match(stderr, /\(stdin-closed\)\n$/);
  }
});

test('kill --grace: what ignores SIGTERM need not be waited for', async (context) => {
  const rig = createCliRig(context);
  const script = 'trap "" TERM; echo up; while :; do sleep 0.05; done';
  const run = ['run', '--grace', '1h', '-d', '--name', 'stubborn', '--', 'sh', '-c', script];
  const id = (await rig.clf(...run)).stdout.trim();
  await rig.start({}, 'logs', '-f', id).saw('up');
  const killed = await rig.clf('kill', '--grace', '0', '--json', id);
  assert.equal(killed.code, 0, killed.stderr);
  const { exit } = parse(killed.stdout) as { exit: { reason: string; exitCode: number } };
  assert.deepEqual([exit.reason, exit.exitCode], ['manual-cancel', 137]);
  const both = await rig.clf('kill', '--grace', '1s', '-s', 'HUP', id);
  assert.match(both.stderr, /it has no --grace/);
});

test('kill: whole trees, by signal, and mistakes are told without stopping the rest', async (context) => {
  const rig = createCliRig(context);
  const tree = 'sleep 61 & (setsid sleep 62 &) ; sleep 63';
  const id = (await rig.clf('run', '-d', '--', 'sh', '-c', tree)).stdout.trim();
  const hup = (
    await rig.clf(
      'run',
      '-d',
      '--name',
      'hup',
      '--',
      'sh',
      '-c',
      'trap "exit 8" HUP; echo up; while :; do sleep 0.05; done',
    )
  ).stdout.trim();
  await rig.start({}, 'logs', '-f', hup).saw('up');
  assert.equal((await rig.clf('kill', '-s', 'HUP', 'hup')).code, 0);
  assert.equal((await rig.clf('wait', hup)).code, 8);
  const killed = await rig.clf('kill', 'no-such-run', id);
  assert.equal(killed.code, 125);
  assert.match(killed.stderr, /no run is called "no-such-run"/);
  assert.match(killed.stdout, new RegExp(`^${id} cancelled$`, 'm'));
  assert.deepEqual(await rig.live(), []);
});

test('rm and gc: what is alive is refused, what is done goes with its files', async (context) => {
  const rig = createCliRig(context);
  const runsDir = join(rig.stateDir, 'runs');
  const live = (await rig.clf('run', '-d', '--', 'sleep', '60')).stdout.trim();
  const done = (await rig.clf('run', '-d', '--', 'true')).stdout.trim();
  await rig.clf('wait', done);
  const refused = await rig.clf('rm', live);
  assert.equal(refused.code, 125);
  assert.match(refused.stderr, /is still running/);
  assert.equal((await rig.clf('rm', done)).stdout, `${done}\n`);
  assert.deepEqual(readdirSync(runsDir), [live]);

  const explained = await rig.clf('gc', '--explain', '--dry-run');
  assert.match(explained.stdout, new RegExp(`^${live.slice(0, 12)} +keep .*it is live$`, 'm'));
  assert.match(explained.stdout, /^Nothing to remove\.$/m);
  assert.equal((await rig.clf('rm', '-f', live)).code, 0);
  assert.deepEqual(readdirSync(runsDir), []);

  await rig.clf('run', '--', 'true');
  const dry = await rig.clf('gc', '--keep', '0', '--dry-run', '--explain');
  assert.match(dry.stdout, /remove .*newer runs fill the count\nWould remove 1 run /);
  const collected = await rig.clf('gc', '--keep', '0');
  assert.match(collected.stdout, /remove .*newer runs fill the count\nRemoved 1 run/);
  assert.deepEqual(readdirSync(runsDir), []);
});

test('doctor: well when new, and names what is not', async (context) => {
  const rig = createCliRig(context);
  const fresh = await rig.clf('doctor');
  assert.equal(fresh.code, 0, fresh.stdout);
  assert.match(fresh.stdout, /ok {4}self-test: a run was started, read and ended/);
  await rig.clf('run', '-n', '--', 'sh', '-c', 'sleep 61 &');
  mkdirSync(join(rig.stateDir, 'runs', 'zzzzzzzzzzzzzzzz'));
  writeFileSync(join(rig.stateDir, 'runs', 'zzzzzzzzzzzzzzzz', 'something'), '');
  const report = parse((await rig.clf('doctor', '--json')).stdout);
  const findings = report['findings'] as { check: string; status: string; summary: string }[];
  const of = (check: string) => findings.find((finding) => finding.check === check);
  assert.equal(of('leftovers')?.status, 'warn');
  assert.match(of('registry')?.summary ?? '', /without a record: zzzzzzzzzzzzzzzz/);
});

test('doctor: names a shim that is stopped, and one whose run directory was deleted', async (context) => {
  const rig = createCliRig(context);
  const id = (await rig.clf('run', '-d', '--', 'sleep', '60')).stdout.trim();
  const pid = Number(parse((await rig.clf('ps', '--json')).stdout)['pid']);
  // The command's parent.
  const shimPid = Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  const shims = async () => {
    const report = parse((await rig.clf('doctor', '--json')).stdout);
    const findings = report['findings'] as { check: string; [key: string]: unknown }[];
    return findings.find(({ check }) => check === 'shims');
  };
  process.kill(shimPid, 'SIGSTOP');
  const stopped = await shims();
  process.kill(shimPid, 'SIGCONT');
  assert.equal(stopped?.['status'], 'warn');
  assert.match(String(stopped?.['advice']), new RegExp(`kill -CONT ${shimPid}$`));
  assert.equal((await shims())?.['status'], 'ok');
  rmSync(join(rig.stateDir, 'runs', id), { recursive: true });
  const lost = await shims();
  assert.match(String(lost?.['summary']), new RegExp(`directory was deleted: ${shimPid}$`));
  // As advised: the shim ends its run.
  process.kill(shimPid, 'SIGTERM');
  while (existsSync(`/proc/${shimPid}`)) await createSystemClock().sleep(10);
});

test('doctor --rebuild: a damaged registry is a finding, and is made anew', async (context) => {
  const rig = createCliRig(context);
  const id = (await rig.clf('run', '-d', '--', 'sleep', '60')).stdout.trim();
  const done = (await rig.clf('run', '-d', '--', 'sh', '-c', 'exit 5')).stdout.trim();
  await rig.clf('wait', done);
  writeFileSync(join(rig.stateDir, 'registry.db'), 'not a database at all'.repeat(500));
  const sick = await rig.clf('doctor');
  assert.equal(sick.code, 1);
  assert.match(sick.stdout, /FAIL {2}registry/);
  const healed = await rig.clf('doctor', '--rebuild');
  assert.equal(healed.code, 0, healed.stdout + healed.stderr);
  assert.match(healed.stdout, /the registry has 2 runs from their directories/);
  assert.deepEqual(await rig.live(), [id]);
  assert.equal((await rig.clf('wait', done)).code, 5);
});

test('mistakes on the command line: code 125, a suggestion, and JSON when asked', async (context) => {
  const rig = createCliRig(context);
  const typo = await rig.clf('lgos');
  assert.equal(typo.code, 125);
  assert.match(typo.stderr, /Did you mean clf logs\?/);
  const json = await rig.clf('wait', '--json', 'nobody');
  assert.equal(json.code, 125);
  assert.deepEqual((parse(json.stderr)['error'] as { code: string }).code, 'run-not-found');
});

test('O5: runs of a copied state directory are neither ended nor forgotten, and that is said', async (context) => {
  const rig = createCliRig(context);
  const id = (await rig.clf('run', '-d', '--', 'sleep', '300')).stdout.trim();
  const copy = `${rig.stateDir}-copy`;
  assert.equal(spawnSync('cp', ['-a', rig.stateDir, copy]).status, 0);
  const refuses = async (...command: string[]): Promise<void> => {
    const refused = await rig.clf('--state-dir', copy, ...command, id);
    assert.equal(refused.code, 125, refused.stdout);
    assert.match(refused.stderr, /nothing proves that it has ended/);
  };
  await refuses('kill');
  await refuses('rm', '-f');
  /* Some ways of copying leave sockets out. */
  rmSync(join(copy, 'runs', id, 's'));
  await refuses('kill');
  assert.deepEqual(await rig.live(), [id]);
});
