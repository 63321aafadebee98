/*
 * What an agent reads without anybody being asked: its working tree and the system, whatever it tries, as root and as an
 * ordinary user.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readConfinementSupport, shimBinaryPath } from '@clawdfather/supervisor';
import { type Agent, createMcpRig } from '../support/mcp-rig.ts';
import { launcherPath } from '../support/cli-process.ts';

/* Belongs to nobody. */
const uid = 54_322;
const asUser = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
const [setpriv = '', ...asArgs] = asUser;
const canary = 'clf_canary_0123456789';

const { landlock, why } = await readConfinementSupport(shimBinaryPath());
const noLandlock = landlock === 0 && `no Landlock here: ${why}`;
const isRoot = process.getuid?.() === 0;
/* A checkout in a private directory cannot be run by another user. */
const canBeUser =
  isRoot && spawnSync(setpriv, [...asArgs, process.execPath, '--check', launcherPath]).status === 0;

interface Site {
  readonly home: string;
  readonly project: string;
  readonly hosts: string;
  readonly connect: (cwd: string, wrap?: readonly string[]) => Promise<Agent>;
}

/* A home with the token of a device in it, and a project below. */
function createSite(t: TestContext, isUser: boolean): Site {
  const { cli, connect } = createMcpRig(t);
  const home = cli.env['HOME'] ?? '';
  const project = join(home, 'project é');
  const config = join(home, '.config', 'clawdfather');
  for (const directory of [project, config, join(home, '.ssh'), join(home, 'state')]) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }
  const hosts = join(config, 'gateways.json');
  for (const secret of [hosts, join(home, '.ssh', 'id'), join(home, 'state', 'control.db')]) {
    writeFileSync(secret, `${canary}\n`, { mode: 0o600 });
  }
  writeFileSync(join(project, 'README é.md'), 'one\ntwo\n');
  mkdirSync(join(project, 'src'));
  writeFileSync(join(project, 'src', 'a.json'), '{"a":[1,2]}\n');
  symlinkSync(hosts, join(project, 'link'));
  symlinkSync(home, join(project, 'src', 'up'));
  if (isUser) {
    spawnSync('chown', ['-R', `${uid}:${uid}`, home]);
    chmodSync(home, 0o711);
  }
  const env = {
    AGENT_CANARY: canary,
    XDG_CACHE_HOME: join(home, '.cache'),
    PATH: '/usr/local/bin:/usr/bin:/bin',
  };
  return {
    home,
    project,
    hosts,
    connect: (cwd, wrap = []) =>
      connect({ flags: [], cwd, env, wrap: [...wrap, ...(isUser ? asUser : [])] }),
  };
}

const users = [
  { name: 'the user of the tests', isUser: false, skip: noLandlock },
  { name: 'another user', isUser: true, skip: noLandlock || (!canBeUser && 'needs root') },
];

for (const { name, isUser, skip } of users) {
  test(`an agent of ${name} gets no secret unasked, whatever it tries`, { skip }, async (t) => {
    const { home, hosts, project, connect } = createSite(t, isUser);
    const agent = await connect(project);
    const lines = [
      `cat ${hosts}`,
      `cat < ${hosts}`,
      `while read -r x; do echo "$x"; done < ${hosts}`,
      `echo "$(cat ~/.ssh/id)"`,
      `grep -r clf_canary ${home}`,
      'grep -rh clf_canary . src/up/ src/up/.config/',
      'cat link',
      'cat src/up/.ssh/id',
      'cd .. && cat .ssh/id',
      'cat ../.[s]sh/*',
      'head -c 100 ~/.config/*/*',
      `cat /proc/self/root${hosts}`,
      'cat /proc/self/cwd/../.ssh/id',
      `cat /proc/${agent.pid}/environ`,
      `cat /proc/${agent.pid}/root${hosts}`,
      `cat /proc/${agent.pid}/cwd/../.ssh/id`,
      `cat /proc/${agent.pid}/task/*/environ /proc/[0-9]*/environ`,
      `ps e -p ${agent.pid}`,
      `diff /dev/null ${hosts}`,
      `jq -R . ${hosts}`,
      `tail -n +1 ${home}/state/control.db`,
      `wc --files0-from=${hosts}`,
      `base64 -w0 ${hosts}`,
      `od -c ${hosts}`,
      'cat /etc/shadow',
    ];
    const secret = new RegExp(
      `${canary}|${Buffer.from(canary).toString('base64').slice(0, 12)}|c   l   f`,
    );
    for (const command of lines) {
      for (const pty of [false, true]) {
        const answer = await agent.call('exec', { command, pty });
        // What the agent itself wrote is in the answer to nothing but an echo.
        assert.doesNotMatch(String(answer.data['output']), secret, command);
        assert.equal(answer.data['status'], 'completed', command);
      }
    }
    const asks = [{ argv: ['cat', join(home, '.ssh', 'id')] }, { command: 'ls -la; cat id' }];
    for (const what of asks) {
      for (const directory of [home, '/', join(project, 'src', 'up')]) {
        const { data } = await agent.call('exec', { ...what, workdir: directory });
        assert.equal(data['status'], 'approval-pending', directory);
      }
      // The shield does not show it, so there is nothing to ask a person about.
      const hidden = await agent.call('exec', { ...what, workdir: join(home, '.ssh') });
      assert.ok(hidden.isError && hidden.data['status'] === undefined, hidden.text);
      assert.match(hidden.text, /cannot work in .*\.ssh.*: it does not exist/);
    }
    const names = await agent.call('exec', { command: `ls -R ${home}; ls -R /root` });
    assert.doesNotMatch(String(names.data['output']), /hosts\.json|README/);
  });

  test(`what an agent of ${name} needs goes on unasked`, { skip }, async (t) => {
    const { project, connect } = createSite(t, isUser);
    linkSync(join(project, 'README é.md'), join(project, 'src', 'hard'));
    const agent = await connect(project);
    const useful: Readonly<Record<string, RegExp>> = {
      ls: /README é\.md\n/,
      'ls -la src | wc -l': /^6\n$/,
      'cat "README é.md" src/hard | head -3': /^one\ntwo\none\n$/,
      'grep -rn two . 2>/dev/null': /README é\.md:2:two/,
      'cat < src/a.json > /dev/null 2>&1; echo $?': /^0\n$/,
      'for f in src/*.json; do jq -c .a "$f"; done': /^\[1,2\]\n$/,
      'sha256sum src/a.json | cut -c1-8': /^[0-9a-f]{8}\n$/,
      'ps -o comm= -p $$': /^sh\n$/,
      'ps aux | grep -c .': /^\d+\n$/,
      'df -P . | tail -1': /%/,
      'ls -l src/a.json': new RegExp(isUser ? `${uid}` : '\\w+ \\w+'),
      'id -u': new RegExp(`^${isUser ? uid : process.getuid?.()}\n$`),
      'echo "a b" | tr a-z A-Z; printf "%s\\n" ok': /^A B\nok\n$/,
      'cat /dev/null; cat /proc/uptime; uname; nproc': /Linux/,
      'echo hi | cat /dev/stdin': /^hi\n$/,
      'du -s .': /^\d+\t\.\n$/,
      'cmp "README é.md" src/hard && diff src/a.json src/a.json && echo same': /^same\n$/,
    };
    for (const [command, expected] of Object.entries(useful)) {
      const { data } = await agent.call('exec', { command });
      assert.equal(data['status'], 'completed', `${command}: ${JSON.stringify(data)}`);
      assert.match(String(data['output']), expected, command);
    }
    const deeper = await agent.call('exec', { argv: ['cat', '../README é.md'], workdir: 'src' });
    assert.equal(deeper.data['output'], 'one\ntwo\n');
    const seen = await agent.call('exec', { command: 'ls; tty', pty: true });
    assert.match(String(seen.data['output']), /README é\.md[^]*\/dev\/pts\/\d+/);
  });
}

test('a refusal says how to ask', {
  skip: noLandlock,
}, async (t) => {
  const { project, connect } = createSite(t, false);
  const elsewhere = '/etc/hostname';
  const agent = await connect(project);
  const refused = await agent.call('exec', { argv: ['cat', elsewhere] });
  assert.equal(refused.data['status'], 'completed');
  assert.match(refused.text, /only the working tree and the system; .* exec with ask "always"/);
  const polled = await agent.call('process', { action: 'poll', runId: refused.data['runId'] });
  assert.match(polled.text, /exec with ask "always"/);
  const fine = await agent.call('exec', { argv: ['cat', 'README é.md'] });
  assert.doesNotMatch(fine.text, /working tree/);
  const asked = await agent.call('exec', { argv: ['cat', elsewhere], ask: 'always' });
  assert.equal(asked.data['status'], 'approval-pending');
});

test('in a home directory nothing is read unasked, and what reads nothing runs', {
  skip: noLandlock,
}, async (t) => {
  const { home, connect } = createSite(t, false);
  for (const directory of [home, '/', join(home, '.config'), join(home, '..')]) {
    const agent = await connect(directory);
    const read = await agent.call('exec', { command: 'ls -la' });
    assert.equal(read.data['status'], 'approval-pending', directory);
    const said = await agent.call('exec', { command: 'echo hi; pwd' });
    assert.match(String(said.data['output']), /^hi\n\//, directory);
  }
  const agent = await connect(join(home, 'state'));
  const hidden = await agent.call('exec', { command: 'echo hi; pwd' });
  assert.match(hidden.text, /cannot work in .*hidden by the shield/);
});

test('without Landlock everything is asked about, and told why; without a shield only what reads', {
  skip: !isRoot && 'needs root',
}, async (t) => {
  const { project, connect } = createSite(t, false);
  const fault = 'inject=landlock_create_ruleset:error=EOPNOTSUPP';
  const quiet = ['-f', '--seccomp-bpf', '-o', '/dev/null', '-e', 'trace=landlock_create_ruleset'];
  const without = ['strace', ...quiet, '-e', fault];
  const agent = await connect(project, without);
  for (const command of ['ls', 'echo hi']) {
    const asked = await agent.call('exec', { command });
    assert.equal(asked.data['status'], 'approval-pending', command);
  }
  const bare = await connect(project, ['env', 'CLAWDFATHER_SHIELD_MODE=off', ...without]);
  const read = await bare.call('exec', { command: 'ls' });
  assert.equal(read.data['status'], 'approval-pending');
  const said = await bare.call('exec', { command: 'echo hi' });
  assert.equal(said.data['output'], 'hi\n');
});
