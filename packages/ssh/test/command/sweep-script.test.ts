/*
 * The sweep on real trees of processes, run by every sh that a host may have: what carries the lease is ended, proven, and nothing
 * else is touched.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createSystemRandom } from '@clawdfather/kit';
import { cannotMakeUsers, makeUnixUser } from '@clawdfather/testkit';
import { planCommand } from '../../src/command/plan-command.ts';
import { formatSweep } from '../../src/command/sweep-script.ts';
import { loginShells, openShellHost, shellSkip, shNames } from './shells.ts';
import type { ShellHost } from './shells.ts';

const random = createSystemRandom();
const newLease = (): string => `${random.id()}${random.id()}`;
const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/* A zombie is dead, and its new parent may take its time. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

interface Started {
  readonly child: ChildProcess;
  /* What it printed in its first line: pids. */
  readonly pids: readonly number[];
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly gid?: number;
}

/* Started as sshd would; it has begun when its first line is there. Ended with its scope. */
async function start(
  scope: AsyncDisposableStack,
  argv: readonly string[],
  options: StartOptions = {},
): Promise<Started> {
  const [program = '', ...args] = argv;
  const { uid, gid } = options;
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: '/usr/bin:/bin', SHELL: '/bin/sh', HOME: '/', ...options.env },
    ...(uid === undefined ? {} : { uid, gid }),
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const line = await new Promise<string>((resolve) =>
    child.stdout.setEncoding('utf8').once('data', resolve),
  );
  const pids = line.trim().split(' ').map(Number);
  scope.defer(async () => {
    for (const pid of new Set([...pids, child.pid ?? 0]))
      if (pid > 1 && isAlive(pid)) process.kill(pid, 'SIGKILL');
    await gone;
  });
  return { child, pids };
}

function startLeased(scope: AsyncDisposableStack, leaseId: string, line: string): Promise<Started> {
  const { execString } = planCommand({
    command: { line },
    leaseId,
    nonce: 'nonce-1234567890',
    isTerminal: false,
    graceMs: 0,
  });
  return start(scope, ['/bin/sh', '-c', execString]);
}

/* With a lease in its environment, and not started by us: a stranger, or a survivor. */
function startStranger(
  scope: AsyncDisposableStack,
  env: Readonly<Record<string, string>>,
  more: StartOptions = {},
): Promise<Started> {
  return start(scope, ['/bin/sh', '-c', 'echo $$; exec sleep 1000'], { ...more, env });
}

/* Six that can be proven: the root, a child, one that ignores signals, one in a session of its own, one without an environment,
 * and one that has lost its parent. */
const tree = `
sleep 1000 & a=$!
(trap '' TERM HUP INT; while :; do sleep 1000; done) & b=$!
setsid sleep 1000 & c=$!
env -i sleep 1000 & d=$!
e=$( (sleep 1000 >/dev/null & echo $!) )
echo $$ $a $b $c $d $e
wait`;

async function sweep(
  host: ShellHost,
  input: Parameters<typeof formatSweep>[0],
): Promise<readonly number[]> {
  const end = await host.run(formatSweep(input));
  const match = /^CLF-SWEPT (\d+) (\d+)\n$/.exec(end.stdout);
  assert.ok(match, `one line and nothing else: ${JSON.stringify(end)}`);
  assert.deepEqual([end.code, end.stderr], [0, '']);
  return match.slice(1).map(Number);
}

for (const sh of shNames) {
  describe(`swept by ${sh}`, { skip: shellSkip(sh), timeout: 60_000 }, () => {
    test('everything with the lease is ended, stubborn or in its own session', async () => {
      using host = openShellHost('bash', sh);
      await using scope = new AsyncDisposableStack();
      const leaseId = newLease();
      const { pids } = await startLeased(scope, leaseId, tree);
      assert.equal(pids.length, 6);
      assert.ok(pids.every(isAlive));
      const [found = 0, left] = await sweep(host, { leaseId, bootId, graceMs: 200 });
      // The stubborn one starts another sleep when its own is ended, which then counts, too.
      assert.ok(found >= 7, `${found}`);
      assert.equal(left, 0);
      assert.deepEqual(pids.filter(isAlive), []);
    });

    test('what has another lease, a longer one, or only the text of it is untouched', async () => {
      using host = openShellHost('bash', sh);
      await using scope = new AsyncDisposableStack();
      const leaseId = newLease();
      const name = 'CLAWDFATHER_LEASE_ID';
      const strangers = await Promise.all([
        startStranger(scope, { [name]: newLease() }),
        startStranger(scope, { [name]: `${leaseId}x` }),
        startStranger(scope, { [name]: leaseId.slice(0, -1) }),
        startStranger(scope, { [`X${name}`]: leaseId }),
        startStranger(scope, { OTHER: `${name}=${leaseId}` }),
        startStranger(scope, { OTHER: `x\n${name}=${leaseId}\ny` }),
        startStranger(scope, {}),
        start(scope, ['/bin/sh', '-c', 'echo $$; exec sleep 1000', `${name}=${leaseId}`]),
      ]);
      assert.deepEqual(await sweep(host, { leaseId, bootId, graceMs: 0 }), [0, 0]);
      const own = await startLeased(scope, leaseId, 'echo $$; sleep 1000; true');
      const [found = 0, left] = await sweep(host, { leaseId, graceMs: 1_000 });
      assert.ok(found >= 1);
      assert.equal(left, 0);
      assert.ok(!own.pids.some(isAlive));
      for (const { pids } of strangers) assert.ok(pids.every(isAlive));
    });

    test('after a restart of the host nothing is done', async () => {
      using host = openShellHost('bash', sh);
      await using scope = new AsyncDisposableStack();
      const leaseId = newLease();
      const { pids } = await startLeased(scope, leaseId, 'echo $$; exec sleep 1000');
      const other = `${bootId.startsWith('0') ? '1' : '0'}${bootId.slice(1)}`;
      assert.deepEqual(await sweep(host, { leaseId, bootId: other, graceMs: 0 }), [0, 0]);
      assert.ok(pids.every(isAlive));
    });

    test('another user’s process is untouched, also by root', {
      skip: cannotMakeUsers,
    }, async () => {
      using host = openShellHost('bash', sh);
      await using scope = new AsyncDisposableStack();
      const user = scope.use(await makeUnixUser());
      const leaseId = newLease();
      const env = { CLAWDFATHER_LEASE_ID: leaseId };
      const theirs = await startStranger(scope, env, { uid: user.uid, gid: user.gid });
      const ours = await startStranger(scope, env);
      assert.deepEqual(await sweep(host, { leaseId, graceMs: 0 }), [1, 0]);
      assert.ok(theirs.pids.every(isAlive));
      assert.ok(!ours.pids.some(isAlive));
    });
  });
}

test('a process that may not be ended is counted as left', { skip: cannotMakeUsers }, async () => {
  using host = openShellHost('bash');
  chmodSync(host.home, 0o755);
  await using scope = new AsyncDisposableStack();
  const user = scope.use(await makeUnixUser());
  const leaseId = newLease();
  // One of root's in the session of one of the user's, as sudo leaves them.
  const line =
    'sleep 1000 & echo $$ $!; exec setpriv --reuid "$USER_ID" --regid "$GROUP_ID" --clear-groups sleep 1000';
  const env = {
    CLAWDFATHER_LEASE_ID: leaseId,
    USER_ID: String(user.uid),
    GROUP_ID: String(user.gid),
  };
  const { pids } = await start(scope, ['/bin/sh', '-c', line], { env });
  const [changed = 0, roots = 0] = pids;
  // It has become the user's when its environment can be read by the user: the sweep looks for that.
  await becomes(changed, user.uid);
  const { uid, gid } = user;
  const end = await host.run(formatSweep({ leaseId, graceMs: 0 }), { uid, gid });
  assert.equal(end.stdout, 'CLF-SWEPT 2 1\n', end.stderr);
  assert.deepEqual([isAlive(changed), isAlive(roots)], [false, true]);
});

/* setpriv changes the user and then becomes sleep: looked at until it has. */
async function becomes(pid: number, uid: number): Promise<void> {
  for (let looks = 0; looks < 1_000; looks += 1) {
    const isTheirs = new RegExp(`^Uid:\\s+${uid}\\s`, 'm').test(
      readFileSync(`/proc/${pid}/status`, 'utf8'),
    );
    if (isTheirs && readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n') return;
    await setTimeout(10);
  }
  assert.fail('it did not change');
}

test('one that ends on SIGTERM has the grace to do so', async () => {
  using host = openShellHost('bash');
  await using scope = new AsyncDisposableStack();
  const leaseId = newLease();
  const line = 'trap "sleep 0.2; echo done; exit 3" TERM; echo $$; while :; do sleep 0.05; done';
  const { child } = await startLeased(scope, leaseId, line);
  let said = '';
  child.stdout?.on('data', (text: string) => (said += text));
  const code = new Promise((resolve) => child.once('close', resolve));
  const [, left] = await sweep(host, { leaseId, graceMs: 10_000 });
  assert.equal(left, 0);
  assert.deepEqual([await code, said], [3, 'done\n']);
});

for (const login of loginShells) {
  test(`with ${login} as login shell the sweep runs as well`, {
    skip: shellSkip(login),
  }, async () => {
    using host = openShellHost(login);
    await using scope = new AsyncDisposableStack();
    const leaseId = newLease();
    const { pids } = await startLeased(scope, leaseId, 'echo $$; exec sleep 1000');
    assert.deepEqual(await sweep(host, { leaseId, bootId, graceMs: 1_000 }), [1, 0]);
    assert.ok(!pids.some(isAlive));
  });
}

test('without its tools it proves nothing, and says nothing', async () => {
  using host = openShellHost('bash');
  await using scope = new AsyncDisposableStack();
  const leaseId = newLease();
  const { pids } = await startLeased(scope, leaseId, 'echo $$; exec sleep 1000');
  const end = await host.run(formatSweep({ leaseId, graceMs: 0 }), {
    env: { PATH: `${host.home}/bin` },
  });
  assert.deepEqual([end.code, end.stdout], [3, '']);
  assert.ok(pids.every(isAlive));
});

test('what is written into the script is checked', () => {
  const leaseId = newLease();
  for (const bad of ['', 'x', "a'; id; '".padEnd(20, 'x'), 'A'.repeat(32)])
    assert.throws(() => formatSweep({ leaseId: bad, graceMs: 0 }), TypeError);
  for (const bad of ['', 'x', '$(id)', bootId.toUpperCase(), `${bootId}\n`])
    assert.throws(() => formatSweep({ leaseId, bootId: bad, graceMs: 0 }), TypeError);
  for (const graceMs of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e9])
    assert.throws(() => formatSweep({ leaseId, graceMs }), TypeError);
});
