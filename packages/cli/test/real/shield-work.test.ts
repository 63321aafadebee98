/*
 * Ordinary work inside of a shield, as root and as an ordinary user: repositories, packages, servers, terminals, and programs that make
 * sandboxes of their own.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { searchPath, shieldUsers } from '../support/shield-site.ts';
import { createShieldedAgent } from '../support/shielded-agent.ts';

const isThere = (program: string): boolean =>
  searchPath.split(':').some((directory) => existsSync(join(directory, program)));

for (const { name, isUser, skip } of shieldUsers) {
  test(`files, repositories, servers and virtual environments of ${name} work inside`, {
    skip,
  }, async (t) => {
    const { run, project, home } = await createShieldedAgent(t, isUser);
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
    assert.equal(await run(`python3 -c '${served}'`), 'mine\n');
    assert.equal(await run('unshare -Urm sh -c "mount -t tmpfs none /mnt && echo own"'), 'own\n');
    assert.equal(await run('echo t > /tmp/t; cat /tmp/t; echo x > ~/new && cat ~/new'), 't\nx\n');
    assert.ok(!existsSync('/tmp/t'), 'its /tmp is its own');
    assert.equal(readFileSync(join(home, 'new'), 'utf8'), 'x\n');
    assert.ok(existsSync(join(project, 'v')));
  });

  test(`npm ci and npm test of ${name} work inside, without a network`, {
    skip: skip || (!isThere('npm') && 'needs npm in a directory of the system'),
  }, async (t) => {
    const { run, project, own } = await createShieldedAgent(t, isUser);
    writePackage(project);
    for (const path of ['package.json', 'package-lock.json', 'dep.tgz']) own(join(project, path));
    const said = await run('npm ci --offline --no-audit --no-fund && npm test');
    assert.match(said, /added 1 package[^]*dep says 42/);
    assert.ok(existsSync(join(project, 'node_modules/dep/index.js')));
  });

  test(`terminals of ${name} work inside: a program on one, and tmux`, {
    skip: skip || (!(isThere('tmux') && isThere('vim')) && 'needs tmux and vim'),
  }, async (t) => {
    const { run, agent, project } = await createShieldedAgent(t, isUser);
    const tmux = 'tmux -L inside -f /dev/null';
    // The last `cat` keeps the session: a server that is leaving with its last session may never answer who comes then.
    const said = await run(
      `${tmux} new-session -d 'tty > tty; cat mine > seen; ${tmux} wait-for -S done; cat' && ${tmux} wait-for done; cat tty seen; ${tmux} kill-server`,
    );
    assert.match(said, /\/dev\/pts\/\d+\nmine\n/);
    const vim = await agent.call('exec', {
      command: 'vim -u NONE -n +"normal Ohello" +wq mine; stty size; tty',
      pty: true,
      cols: 100,
      rows: 30,
      yieldMs: 60_000,
    });
    assert.match(String(vim.data['output']), /30 100\s+\/dev\/pts\/\d+/);
    assert.equal(readFileSync(join(project, 'mine'), 'utf8'), 'hello\nmine\n');
  });

  test(`a program of ${name} confines its own commands with bubblewrap inside`, {
    skip: skip || (!isThere('bwrap') && 'needs bwrap'),
  }, async (t) => {
    const { run, home, own } = await createShieldedAgent(t, isUser);
    // Start-up files that are links are pinned, which are mounts on links.
    for (const [path, target] of [
      ['.zshrc', 'dots/zshrc'],
      ['.config/git', '../dots/git'],
      ['.profile', '/nowhere/profile'],
    ] as const) {
      symlinkSync(target, join(home, path));
    }
    for (const path of ['dots', 'dots/git']) {
      mkdirSync(join(home, path));
      own(join(home, path));
    }
    writeFileSync(join(home, 'dots/zshrc'), 'true\n');
    // As codex does: everything read-only, the working tree not, no network, processes of its own.
    const sandbox = `bwrap --new-session --die-with-parent --ro-bind / / --dev /dev --bind . "$PWD" --unshare-user --unshare-pid ${isUser ? '--proc /proc' : ''} --unshare-net --chdir "$PWD" --`;
    assert.equal(await run(`${sandbox} sh -c "echo in > made; cat made mine"`), 'in\nmine\n');
    assert.match(await run(`${sandbox} sh -c 'touch ~/not; echo "code $?"'`), /code 1\n$/);
    assert.match(await run(`${sandbox} cat ${home}/.ssh/id`), /No such file/);
  });
}

/* Serves the directory on a free port, and asks for a file. */
const served = `
import http.server, threading, urllib.request as u
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
http.server.SimpleHTTPRequestHandler.log_message = lambda *_: None
threading.Thread(target=s.serve_forever, daemon=True).start()
print(u.urlopen("http://127.0.0.1:%d/mine" % s.server_port).read().decode().strip())
`;

/* A project with one dependency, which is a packed file, and the lockfile for it. */
function writePackage(project: string): void {
  const source = join(project, '../dep-source/package');
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, 'package.json'), '{"name":"dep","version":"1.0.0"}');
  writeFileSync(join(source, 'index.js'), 'module.exports = 42;\n');
  const packed = join(project, 'dep.tgz');
  spawnSync('tar', ['-czf', packed, '-C', join(source, '..'), 'package']);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(packed)).digest('base64')}`;
  const dependencies = { dep: 'file:dep.tgz' };
  const own = { name: 'small', version: '1.0.0', dependencies };
  const scripts = { test: `node -e "console.log('dep says', require('dep'))"` };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ ...own, scripts }));
  const dep = { version: '1.0.0', resolved: 'file:dep.tgz', integrity };
  const packages = { '': own, 'node_modules/dep': dep };
  const lock = { name: 'small', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock));
}
