/*
 * A command in a shield that tries to have others work for it: sockets of programs of every kind, io_uring, cron, at, a session bus, a tmux
 * server. Each try is made outside as well, where it works.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connectLine, listenAt } from '../support/canary-socket.ts';
import { canary, shieldUsers } from '../support/shield-site.ts';
import { createShieldedAgent, quoted, type ShieldedAgent } from '../support/shielded-agent.ts';

const uringSource = fileURLToPath(new URL('../fixtures/uring.c', import.meta.url));

/* The test's own programs listen here, where others would. */
const doorsOfHome = [
  '.docker/run/docker.sock',
  '.colima/default/docker.sock',
  '.gnupg/S.gpg-agent',
  '.1password/agent.sock',
  '.ssh/control-master',
  '.screen/socket',
];

async function openDoors(t: TestContext, site: ShieldedAgent): Promise<readonly string[]> {
  const { home, runtimeDir, own } = site;
  const name = `clf-door-${process.pid}-${site.userName}`;
  const ofHome = doorsOfHome.map((path) => join(home, path));
  for (const path of ofHome) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    own(dirname(path));
  }
  const shared = ['/tmp', '/var/tmp', '/run'].map((top) => {
    const directory = join(top, name);
    mkdirSync(directory);
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    return join(directory, '.s.PGSQL.5432');
  });
  const ofRuntime = ['bus', 'docker.sock', 'podman.sock'].map((path) => join(runtimeDir, path));
  const paths = [...ofHome, ...shared, ...ofRuntime];
  for (const path of paths) await listenAt(t, path);
  return paths;
}

for (const { name, isUser, skip } of shieldUsers) {
  test(`an agent of ${name} reaches no socket of other programs, with io_uring neither`, {
    skip,
  }, async (t) => {
    const site = await createShieldedAgent(t, isUser);
    const { run, agent, home, project, outside } = site;
    const doors = await openDoors(t, site);
    const uring = join(project, 'uring');
    const [compiler, ...args] = ['cc', '-o', uring, uringSource] as const;
    const built = spawnSync(compiler, args, { encoding: 'utf8' });
    const uringState = outside([uring, 'read', join(home, '.ssh/id')]);
    const hasUring = built.status === 0 && uringState.status === 0;
    if (!hasUring) t.diagnostic(`no io_uring: ${built.stderr ?? ''}${uringState.stdout}`);
    const open = await listenAt(t, join(project, 'open'));
    assert.match(await run(connectLine(open)), /clf_canary/, 'one that is not hidden is reached');
    if (hasUring) assert.match(await run(`${uring} connect ${open}`), /clf_canary/);
    for (const path of doors) {
      const tries = [
        connectLine(path),
        connectLine(`/proc/self/root${path}`),
        connectLine(`/proc/${agent.pid}/root${path}`),
        `ln ${path} l && ${connectLine('l')}; ln -sf ${path} s; ${connectLine('s')}`,
        `cd ${dirname(path)} && ${connectLine(path.slice(dirname(path).length + 1))}`,
        ...(hasUring ? [`${uring} connect ${path}`] : []),
      ];
      const said = await run(tries.map((line) => `(${line})`).join('; '));
      assert.doesNotMatch(said, /clf_canary/, `${path}: ${said}`);
      if (hasUring) assert.match(said, /No such file|refused|denied|Not a directory/);
    }
    if (hasUring) {
      assert.match(uringState.stdout, /clf_canary[^]*clf_canary/, 'it reads outside, in both ways');
      assert.doesNotMatch(await run(`${uring} read ${home}/.ssh/id`), /clf_canary|no io_uring/);
    }
  });

  test(`an agent of ${name} hands no job to cron, at, a session bus or a tmux server`, {
    skip,
  }, async (t) => {
    const site = await createShieldedAgent(t, isUser);
    const { run, outside, userName, project, runtimeDir, wrap, own } = site;
    const before = spooled();
    const line = `* * * * * touch ${project}/from-cron`;
    const tries = [
      `echo "${line}" | crontab -`,
      `echo "${line}" > /var/spool/cron/crontabs/${userName}`,
      `mkdir -p /var/spool/cron/crontabs; echo "${line}" > /var/spool/cron/${userName}`,
      `echo "${line}" > /etc/cron.d/clf-test; echo "${line}" >> /etc/crontab`,
      `echo "touch ${project}/from-at" | at now`,
      `echo "touch ${project}/from-batch" | batch`,
      'systemd-run --user true; systemctl --user start evil; loginctl enable-linger',
    ];
    for (const one of tries) await run(`sh -c ${quoted(one)}`);
    assert.deepEqual(spooled(), before);
    assert.ok(!existsSync('/etc/cron.d/clf-test'));
    if (isUser && existsSync('/usr/bin/crontab')) {
      assert.equal(outside(['crontab', '-'], `# ${canary}\n`).status, 0, 'outside it can be done');
      assert.notDeepEqual(spooled(), before);
      assert.doesNotMatch(await run(`crontab -l; cat /var/spool/cron/crontabs/*`), /clf_canary/);
      assert.equal(outside(['crontab', '-r']).status, 0);
    }

    if (existsSync('/usr/bin/dbus-daemon')) {
      const address = `unix:path=${join(runtimeDir, 'bus')}`;
      await startBus(t, wrap, address);
      const ask = `dbus-send --bus=${address} --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames`;
      assert.match(outside(['sh', '-c', ask]).stdout, /org\.freedesktop\.DBus/);
      assert.doesNotMatch(await run(ask), /string "org\.freedesktop/);
    }

    if (existsSync('/usr/bin/tmux')) {
      const directory = mkdtempSync('/tmp/clf-tmux-');
      own(directory);
      const tmux = ['tmux', '-S', join(directory, 'socket')];
      // While the user and its directories are there.
      using ending = new DisposableStack();
      ending.defer(() => rmSync(directory, { recursive: true }));
      ending.defer(() => assert.equal(outside([...tmux, 'kill-server']).status, 0));
      assert.equal(outside([...tmux, 'new-session', '-d', 'sleep 600']).status, 0);
      assert.match(outside([...tmux, 'ls']).stdout, /1 windows/);
      const made = join(project, 'from-tmux');
      assert.doesNotMatch(await run(`${tmux.join(' ')} ls`), /windows/);
      await run(`${tmux.join(' ')} run-shell "touch ${made}"`);
      assert.ok(!existsSync(made));
    }
  });
}

/* What cron and at would run, for any user. */
function spooled(): readonly string[] {
  return ['/var/spool/cron', '/var/spool/at', '/etc/cron.d'].flatMap((top) =>
    existsSync(top)
      ? readdirSync(top, { recursive: true }).map((name) => `${top}/${String(name)}`)
      : [],
  );
}

async function startBus(t: TestContext, wrap: readonly string[], address: string): Promise<void> {
  const bus = ['dbus-daemon', '--session', '--nofork', '--nopidfile', '--print-address=1'];
  const [program, ...args] = [...wrap, ...bus, `--address=${address}`];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
}
