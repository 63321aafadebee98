/*
 * SSH hosts for agents of this machine: over MCP on stdio, and out of a shield with the calling form of ssh, under the policy for agents.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfinementSupport, shimBinaryPath } from '@clawdfather/supervisor';
import { sshdSkip } from '@clawdfather/testkit';
import { launcherPath } from '../support/cli-process.ts';
import { openHostWorld } from '../support/host-world.ts';
import { createMcpRig, openPolicy } from '../support/mcp-rig.ts';

const { landlock, hasNamespaces } = await readConfinementSupport(shimBinaryPath());
const isWhole = landlock >= 6 && hasNamespaces;

test('an agent on stdio runs commands on a host, and a person is asked first', {
  skip: sshdSkip,
  timeout: 120_000,
}, async (t) => {
  const { rig, project } = await openHostWorld(t);
  const { connect } = createMcpRig(t, rig);
  const agent = await connect({ flags: openPolicy, cwd: project });
  const done = await agent.call('exec', {
    command: 'echo "on $CLAWDFATHER_LEASE_ID $WORD"; exit 3',
    host: 'web',
    env: { WORD: 'told' },
    yieldMs: 60_000,
  });
  assert.equal(done.data['exitCode'], 3, JSON.stringify(done.data));
  assert.match(String(done.data['output']), /^on [0-9a-z]{16,} told$/m);
  const held = await agent.call('exec', {
    argv: ['true'],
    host: 'web',
    ask: 'on-miss',
    security: 'allowlist',
  });
  assert.equal(held.data['status'], 'approval-pending', JSON.stringify(held.data));
  const unknown = await agent.call('exec', { argv: ['true'], host: 'nowhere' });
  assert.match(JSON.stringify(unknown), /no host is called/);
  await agent.client.close();
});

test('out of a shield, a prefix with the calling form of ssh runs commands on the host', {
  skip: sshdSkip || (!isWhole && 'the whole shield cannot be had here'),
  timeout: 120_000,
}, async (t) => {
  const { rig, project } = await openHostWorld(t);
  const prefix = `${process.execPath} ${launcherPath} exec --join --host web --`;
  const inside = (script: string) =>
    rig.clf('run', '--tools', '--cwd', project, '--', 'sh', '-c', script);
  const asked = await inside(`${prefix} uname`);
  assert.equal(asked.code, 125, asked.stderr);
  assert.match(asked.stderr, /has to be allowed/);
  Object.assign(rig.env, {
    CLAWDFATHER_POLICY_MCP_SECURITY: 'full',
    CLAWDFATHER_POLICY_MCP_ASK: 'off',
  });
  const done = await inside(`${prefix} 'echo on "the host" | cat'; echo "code $?"`);
  assert.match(done.stdout, /^on the host\ncode 0\n$/, done.stderr);
});

test('a host whose policy is full: nobody is asked, and a shielded agent in its session has ssh itself', {
  skip: sshdSkip || (!isWhole && 'the whole shield cannot be had here'),
  timeout: 120_000,
}, async (t) => {
  const { rig, sshd, project, url } = await openHostWorld(t);
  const clf = `${process.execPath} ${launcherPath}`;
  const inside = (script: string, ...flags: string[]) =>
    rig.clf('run', '--tools', '--cwd', project, ...flags, '--', 'sh', '-c', script);
  const asked = await inside(`${clf} exec --join --host web -- uname`);
  assert.match(asked.stderr, /has to be allowed/);
  // From inside of a shield there is no sign-in to change it with.
  const tried = await inside(`${clf} host policy web full`);
  assert.notEqual(tried.code, 0);
  assert.match((await rig.clf('host', 'ls')).stdout, /^web +ok +.* ago +ask +/m);

  const set = await rig.clf('host', 'policy', 'web', 'full');
  assert.deepEqual(
    [set.code, set.stdout],
    [0, 'web, agents: full: nothing that they run there is asked about.\n'],
    set.stderr,
  );
  assert.match((await rig.clf('host', 'show', 'web')).stdout, /^agents +full: nothing/m);
  assert.equal(JSON.parse((await rig.clf('host', 'show', 'web', '--json')).stdout).policy, 'full');
  const done = await inside(`${clf} exec --join --host web -- 'echo on "the host"'`);
  assert.equal(done.stdout, 'on the host\n', done.stderr);

  const started = await rig.clf('session', 'start', 'web', '--json');
  const { id } = JSON.parse(started.stdout) as { id: string };
  const bound = ['-g', url, '--session', id];
  const onHost = '${SSH_CONNECTION:+on the host}';
  const raw = await inside(`$CLAWDFATHER_SSH_PREFIX 'echo "${onHost}"; exit 3'; echo $?`, ...bound);
  assert.equal(raw.stdout, 'on the host\n3\n', raw.stderr);
  const prefix = await inside('echo "$CLAWDFATHER_SSH_PREFIX"', ...bound);
  assert.match(prefix.stdout, /^ssh -F \/run\/clawdfather-ssh\/passenger /, prefix.stderr);
  assert.ok(prefix.stdout.endsWith(` -p ${sshd.port} ${sshd.user}@127.0.0.1 --\n`), prefix.stdout);

  assert.equal((await rig.clf('host', 'policy', 'web', 'ask')).code, 0);
  const relayed = await inside('echo "$CLAWDFATHER_SSH_PREFIX"', ...bound);
  assert.match(relayed.stdout, / exec --join --host web --\n$/, relayed.stderr);
  const again = await inside('$CLAWDFATHER_SSH_PREFIX uname', ...bound);
  assert.match(again.stderr, /has to be allowed/);
});
