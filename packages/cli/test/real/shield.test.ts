/*
 * The shield around what an agent starts: with every command allowed it gets none of our secrets and decides nothing, as root
 * and as an ordinary user, while ordinary work goes on.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readConfinementSupport, shimBinaryPath } from '@clawdfather/supervisor';
import { launcherPath } from '../support/cli-process.ts';
import { type Agent, createMcpRig, openPolicy } from '../support/mcp-rig.ts';

/* Belongs to nobody. */
const uid = 54_323;
const asUser = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
const [setpriv = '', ...asArgs] = asUser;
const canary = 'clf_canary_0123456789';

const { landlock, hasNamespaces } = await readConfinementSupport(shimBinaryPath());
const isRoot = process.getuid?.() === 0;
/* A checkout in a private directory cannot be run by another user. */
const canBeUser =
  isRoot && spawnSync(setpriv, [...asArgs, process.execPath, '--check', launcherPath]).status === 0;
const isWhole = landlock >= 6 && hasNamespaces;
const noShield = !isWhole && 'the whole shield cannot be had here';

interface Site {
  readonly home: string;
  readonly project: string;
  readonly agent: Agent;
  /* The agent's command: what it said, whatever came of it. */
  readonly run: (command: string) => Promise<string>;
}

/* Homes are not in /tmp, where a shield has its own. */
async function createSite(t: TestContext, isUser: boolean): Promise<Site> {
  const { connect } = createMcpRig(t);
  const home = mkdtempSync('/var/lib/clf-shield-');
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, 'project');
  const stateDir = join(home, '.local/state/clawdfather');
  for (const path of ['project', '.config/clawdfather', '.ssh', '.local/state/clawdfather']) {
    mkdirSync(join(home, path), { recursive: true, mode: 0o700 });
  }
  for (const path of ['.config/clawdfather/gateways.json', '.ssh/id']) {
    writeFileSync(join(home, path), `{"token":"${canary}"}\n`, { mode: 0o600 });
  }
  writeFileSync(join(stateDir, 'control.db'), canary, { mode: 0o600 });
  writeFileSync(join(home, '.bashrc'), 'true\n');
  writeFileSync(join(project, 'mine'), 'mine\n');
  if (isUser) spawnSync('chown', ['-R', `${uid}:${uid}`, home]);
  chmodSync(home, 0o711);
  const agent = await connect({
    flags: openPolicy,
    cwd: project,
    wrap: isUser ? asUser : [],
    env: {
      HOME: home,
      AGENT_CANARY: canary,
      CLAWDFATHER_STATE_DIR: stateDir,
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_CACHE_HOME: join(home, '.cache'),
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    },
  });
  const run = async (command: string): Promise<string> => {
    const { data } = await agent.call('exec', {
      command: `exec 2>&1; ${command}`,
      yieldMs: 60_000,
    });
    assert.ok(data['status'] === 'completed' || data['status'] === 'failed', JSON.stringify(data));
    return String(data['output']);
  };
  return { home, project, agent, run };
}

const users = [
  { name: 'root', isUser: false, skip: noShield || (!isRoot && 'needs root') },
  { name: 'an ordinary user', isUser: true, skip: noShield || (!canBeUser && 'needs root') },
];

/* Ways to read, each from inside; `$OUT` is a process outside, the server that the agent speaks to. */
const reading: readonly string[] = [
  'cat ~/.config/clawdfather/gateways.json',
  'cat ~/.local/state/clawdfather/control.db',
  'cat ~/.ssh/id',
  'grep -rs clf_canary ~',
  'cat /proc/$OUT/environ | tr "\\0" "\\n"',
  'cat /proc/$OUT/root$HOME/.ssh/id',
  'cat /proc/$OUT/cwd/../.ssh/id',
  'cat /proc/[0-9]*/environ | tr "\\0" "\\n"',
  'cat /proc/[0-9]*/root$HOME/.ssh/id',
  'for fd in /proc/$OUT/fd/*; do head -c 4096 "$fd"; done',
  'ls -A ~/.local/state/clawdfather/runs && echo clf_canary',
  'ln ~/.ssh/id stolen; cat stolen',
  'ln -s ~/.ssh ssh; cat ssh/id',
  'mv ~/.ssh moved; cat moved/id',
  'mv ~/.config moved; cat moved/clawdfather/gateways.json',
  'umount ~/.ssh; cat ~/.ssh/id',
  'unshare -Urm sh -c "umount ~/.ssh; cat ~/.ssh/id"',
  'unshare -Urm sh -c "mount --bind $HOME /mnt; cat /mnt/.ssh/id"',
  'unshare -Urmpf --mount-proc cat /proc/1/root$HOME/.ssh/id',
  'nsenter -t $OUT -m cat ~/.ssh/id',
  'nsenter -t 1 -a cat ~/.ssh/id',
  'setpriv --clear-groups --reuid=0 cat ~/.ssh/id',
  'sudo -n cat ~/.ssh/id; su -c "cat ~/.ssh/id" < /dev/null',
  'strings /dev/[sv]d[a-z] | grep -m1 clf_canary; cat /dev/mem /proc/kcore | head -c 1000000 | grep -m1 -a clf_canary',
  `python3 -c 'import ctypes,os; l=ctypes.CDLL(None,use_errno=True); print(l.ptrace(16,int(os.environ["OUT"]),0,0), ctypes.get_errno())' | grep -q "^0 " && echo clf_canary`,
  `python3 -c 'import ctypes,os; l=ctypes.CDLL(None,use_errno=True); fd=l.syscall(434,int(os.environ["OUT"]),0); print(l.syscall(438,fd,0,0))' | grep -qv "^-1" && echo clf_canary`,
  `python3 -c 'import ctypes,os; l=ctypes.CDLL(None,use_errno=True); b=ctypes.create_string_buffer(8); v=(ctypes.c_uint64*2)(ctypes.addressof(b),8); r=(ctypes.c_uint64*2)(0x400000,8); print(l.process_vm_readv(int(os.environ["OUT"]),v,1,r,1,0))' | grep -qv "^-1" && echo clf_canary`,
];

/* Ways to change what our next start, a person's next shell or another program would run. */
const writing: readonly string[] = [
  'echo evil >> ~/.bashrc',
  'rm -f ~/.bashrc',
  'mv ~/.bashrc x',
  'echo evil > ~/.bash_profile',
  'echo evil > ~/.profile',
  'mkdir -p ~/.local/bin; echo evil > ~/.local/bin/ls',
  'mkdir -p ~/bin; echo evil > ~/bin/ls',
  'mkdir -p ~/.config/systemd/user; echo evil > ~/.config/systemd/user/evil.service',
  'mkdir -p ~/.config/autostart; echo evil > ~/.config/autostart/evil.desktop',
  'mkdir -p ~/.ssh; echo evil > ~/.ssh/authorized_keys',
  'mkdir -p ~/.config/clawdfather; echo evil > ~/.config/clawdfather/config.jsonc',
  'mkdir -p ~/.cache/clawdfather/code; echo evil > ~/.cache/clawdfather/code/evil',
  'mv ~/.config ~/.c2; mkdir -p ~/.config/clawdfather; echo evil > ~/.config/clawdfather/config.jsonc',
  'mv ~/.local ~/.l2; mkdir -p ~/.local/bin; echo evil > ~/.local/bin/ls',
  'mv "$HOME" "$HOME-2"',
  'echo evil > ~/.local/state/clawdfather/login-links/x',
];

for (const { name, isUser, skip } of users) {
  test(`an agent of ${name} whose commands are all allowed reads no secret of ours`, {
    skip,
  }, async (t) => {
    const { run, agent, home } = await createSite(t, isUser);
    for (const line of reading) {
      const said = await run(
        `export OUT=${agent.pid}; timeout 20 sh -c '${line.replaceAll("'", "'\\''")}'`,
      );
      assert.doesNotMatch(said, /clf_canary/, line);
    }
    assert.match(readFileSync(join(home, '.ssh/id'), 'utf8'), /clf_canary/, 'it is there outside');
  });

  test(`an agent of ${name} writes nothing that a next start or shell would run`, {
    skip,
  }, async (t) => {
    const { run, home } = await createSite(t, isUser);
    await run('true');
    const before = snapshot(home);
    for (const line of writing) await run(line);
    assert.deepEqual(snapshot(home), before);
  });

  test(`an agent of ${name} cannot signal us, nor reach sockets of other programs`, {
    skip,
  }, async (t) => {
    const { run, agent } = await createSite(t, isUser);
    assert.match(await run(`kill -9 ${agent.pid}; echo "code $?"`), /not permitted\s+code 1/);
    const dir = mkdtempSync('/tmp/clf-socket-');
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const path = join(dir, 'door');
    const server = createServer((socket) => socket.end(`${canary}\n`));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    t.after(() => void server.close());
    chmodSync(dir, 0o777);
    chmodSync(path, 0o777);
    const script = `import socket; s=socket.socket(socket.AF_UNIX); s.connect("${path}"); print(s.recv(99))`;
    assert.doesNotMatch(await run(`python3 -c '${script}'`), /clf_canary/);
    assert.match(await run('echo still here'), /still here/);
  });

  test(`an agent of ${name} decides nothing: its clf knows no request and no gateway`, {
    skip,
  }, async (t) => {
    const { run, agent } = await createSite(t, isUser);
    const held = await agent.call('exec', { argv: ['touch', 'never'], ask: 'always' });
    assert.equal(held.data['status'], 'approval-pending');
    const id = String(held.data['approvalId']);
    const clf = `${process.execPath} ${launcherPath}`;
    assert.doesNotMatch(await run(`${clf} approvals`), new RegExp(id.slice(0, 8)));
    await run(`script -qec "${clf} allow ${id}" /dev/null`);
    const still = await agent.call('process', { action: 'poll', runId: held.data['runId'] });
    assert.equal(still.data['status'], 'approval-pending', JSON.stringify(still.data));
  });

  test(`ordinary work of ${name} goes on inside: git, files, servers, a sandbox of its own`, {
    skip,
  }, async (t) => {
    const { run, project, home } = await createSite(t, isUser);
    const git = 'git -c user.name=a -c user.email=a@b -c init.defaultBranch=main';
    assert.match(
      await run(
        `${git} init -q . && ${git} add -A && ${git} commit -qm one && ${git} log --oneline && ${git} clone -q . ../clone && ls ../clone`,
      ),
      /one\nmine\n$/,
    );
    assert.equal(
      await run('python3 -m venv --without-pip v && v/bin/python -c "print(6*7)"'),
      '42\n',
    );
    assert.equal(
      await run(
        'python3 -u -m http.server -b 127.0.0.1 0 > log 2>&1 & sleep 0; for i in 1 2 3 4 5 6 7 8 9; do grep -q port log 2>/dev/null && break; sleep 0.3; done; port=$(sed -n "s/.* port \\([0-9]*\\).*/\\1/p" log); python3 -c "import urllib.request as u; print(u.urlopen(\'http://127.0.0.1:$port/mine\').read().decode().strip())"; kill $!',
      ),
      'mine\n',
    );
    assert.equal(await run('unshare -Urm sh -c "mount -t tmpfs none /mnt && echo own"'), 'own\n');
    assert.equal(await run('echo t > /tmp/t; cat /tmp/t; echo x > ~/new && cat ~/new'), 't\nx\n');
    assert.ok(!existsSync('/tmp/t'), 'its /tmp is its own');
    assert.equal(readFileSync(join(home, 'new'), 'utf8'), 'x\n');
    assert.ok(existsSync(join(project, 'v')));
  });
}

/* Everything that was there, but for journals and what the server itself writes. */
function snapshot(home: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (path.startsWith(join(home, '.local/state')) || path.startsWith(join(home, '.cache')))
      continue;
    if (path.startsWith(join(home, 'project'))) continue;
    found[path] = entry.isFile()
      ? readFileSync(path, 'utf8')
      : entry.isDirectory()
        ? 'directory'
        : 'other';
  }
  return found;
}
