/*
 * Our tools inside of a shield (TS1 to TS4): an agent that runs in one starts commands through `clf mcp`, which is outside, whatever
 * becomes of the gateway and of the servers, and it decides nothing.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readConfinementSupport, shimBinaryPath } from '@clawdfather/supervisor';
import { type CliRig, launcherPath } from '../support/cli-process.ts';
import { createGatewayRig } from '../support/gateway-rig.ts';
import { type Agent, createMcpRig, openPolicy } from '../support/mcp-rig.ts';

const { landlock, hasNamespaces } = await readConfinementSupport(shimBinaryPath());
const isWhole = landlock >= 6 && hasNamespaces;
const skip = !isWhole && 'the whole shield cannot be had here';

/* A home that is not in /tmp, where a shield has its own. */
function settle(t: TestContext, rig: CliRig): string {
  const home = mkdtempSync('/var/lib/clf-tools-');
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, 'project');
  mkdirSync(project);
  Object.assign(rig.env, { HOME: home, XDG_CONFIG_HOME: join(home, '.config') });
  return project;
}

const clf = [process.execPath, launcherPath];
const agentRun = (...flags: string[]) => [
  ...clf,
  'run',
  ...flags,
  '--tools',
  '--name',
  'agent',
  '--',
];

interface Listed {
  readonly id: string;
  readonly command: string;
  readonly pid: number | null;
  readonly state: string;
}

async function list(rig: CliRig, ...flags: string[]): Promise<readonly Listed[]> {
  const { stdout } = await rig.clf('ps', '--json', ...flags);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Listed);
}

async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`never: ${what}`);
}

async function says(agent: Agent, command: string): Promise<string> {
  const { data } = await agent.call('exec', { command });
  assert.equal(data['status'], 'completed', JSON.stringify(data));
  return String(data['output']);
}

test('an agent in a shield has our tools, and the policy is that of outside', {
  skip,
}, async (t) => {
  const { cli, connect } = createMcpRig(t);
  const project = settle(t, cli);
  // What the agent asks its server for is of no account: the server is not its own.
  const agent = await connect({ wrap: agentRun(), flags: openPolicy, cwd: project });
  const { data: seen } = await agent.call('exec', { argv: ['ls'] });
  assert.equal(seen['status'], 'completed', JSON.stringify(seen));
  // The process tree says where it was asked for: at the listener, whose labels are those of the agent's run.
  const shown = JSON.parse((await cli.clf('show', '--json', String(seen['runId']))).stdout);
  const listener = (await list(cli)).find(({ command }) => command.startsWith('clf mcp'));
  assert.equal(shown.labels.askedIn, listener?.id);
  const { data } = await agent.call('exec', { argv: ['touch', 'made'] });
  assert.equal(data['status'], 'approval-pending', JSON.stringify(data));
  const held = await cli.clf('approvals', '--json');
  assert.match(held.stdout, new RegExp(String(data['approvalId'])));
  assert.deepEqual(
    (await list(cli)).map(({ command }) => command).filter((one) => one.startsWith('clf mcp'))
      .length,
    1,
  );
  await agent.client.close();
  await until('the listener has ended', async () => (await cli.live()).length === 0);
  assert.deepEqual(readdirSync(join(cli.stateDir, 'tools')), []);
  assert.ok(!existsSync(join(project, 'made')));
});

test('a listener that was killed is replaced while its agent lives, and serves again', {
  skip,
}, async (t) => {
  const { cli, connect } = createMcpRig(t);
  const project = settle(t, cli);
  cli.env['CLAWDFATHER_POLICY_MCP_SECURITY'] = 'full';
  // The agent starts its server as often as it needs one.
  const again = ['sh', '-c', 'while :; do "$@"; done', 'sh'];
  const agent = await connect({ wrap: [...agentRun(), ...again], flags: [], cwd: project });
  assert.equal(await says(agent, 'echo one'), 'one\n');
  const listener = async (): Promise<Listed | undefined> =>
    (await list(cli)).find(({ command }) => command.startsWith('clf mcp'));
  const first = await listener();
  process.kill(Number(first?.pid), 'SIGKILL');
  await until('there is another one, which serves the agent', async () => {
    const next = await listener();
    // While it starts, it has no process yet.
    if (next === undefined || next.id === first?.id || next.pid === null) return false;
    return childrenOf(next.pid) !== '';
  });
  assert.equal(await says(agent, 'echo two'), 'two\n');
  await agent.client.close();
});

function childrenOf(pid: number): string {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
}

test('the tools of an agent at a gateway go on when the gateway is killed and started again', {
  skip,
  timeout: 120_000,
}, async (t) => {
  const rig = createGatewayRig(t);
  const project = settle(t, rig);
  rig.env['CLAWDFATHER_POLICY_MCP_SECURITY'] = 'full';
  const { url, pid } = await rig.serve('--directory', project);
  assert.equal((await rig.clf('login', '--name', 'home')).code, 0);
  const { connect } = createMcpRig(t, rig);
  const agent = await connect({ wrap: agentRun('-g', url), flags: [], cwd: project });
  assert.equal(await says(agent, 'echo one; pwd'), `one\n${project}\n`);
  process.kill(pid, 'SIGKILL');
  await rig.serve('--directory', project, '--listen', new URL(url).host);
  assert.equal(await says(agent, 'echo three'), 'three\n');
  assert.equal((await rig.clf('show', '--json', 'agent')).code, 0);
  await agent.client.close();
});

test('only the owner of the machine starts a run with tools, and no token does', {
  skip,
}, async (t) => {
  const rig = createGatewayRig(t);
  settle(t, rig);
  const { url } = await rig.serve();
  assert.equal((await rig.clf('login')).code, 0);
  const token = (await rig.clf('token', 'create', '--scope', 'read,run', 'agent')).stdout.trim();
  const answer = await fetch(new URL('/api/v1/runs', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ argv: ['true'], tools: true }),
  });
  assert.equal(answer.status, 403);
  assert.match(await answer.text(), /only the owner of this machine/);
});

test('an agent sees no tools but its own: a command that it starts has none', {
  skip,
}, async (t) => {
  const { cli, connect } = createMcpRig(t);
  const project = settle(t, cli);
  cli.env['CLAWDFATHER_POLICY_MCP_SECURITY'] = 'full';
  const agent = await connect({ wrap: agentRun(), flags: [], cwd: project });
  const seen = await says(agent, 'ls -A /run/clawdfather 2>&1; echo "$CLAWDFATHER_TOOLS"; true');
  assert.match(seen, /No such file/);
  assert.match(seen, /\n\n$/, 'and the variable is not passed on');
  await agent.client.close();
});

test('clf exec inside of a shield starts the command outside, under the policy for agents', {
  skip,
}, async (t) => {
  const { cli } = createMcpRig(t);
  const project = settle(t, cli);
  const inside = (...args: string[]) =>
    cli.clf('run', '--tools', '--cwd', project, '--', ...clf, 'exec', ...args);
  const seen = await inside('--', 'ls', '-A');
  assert.deepEqual([seen.code, seen.stdout], [0, ''], seen.stderr);
  const failed = await inside('-c', 'ls /no/such/place');
  assert.equal(failed.code, 2, failed.stderr);
  const held = await inside('--', 'touch', 'made');
  assert.equal(held.code, 125);
  assert.match(held.stderr, /nothing has started: this has to be allowed/);
  assert.match((await cli.clf('approvals')).stdout, /touch made/);
});

test('SH5: a tree that was replaced by a link is no tree: nothing starts, and nothing more is seen', {
  skip,
}, async (t) => {
  const { cli } = createMcpRig(t);
  const above = join(settle(t, cli), '..', 'above');
  const tree = join(above, 'tree');
  mkdirSync(tree, { recursive: true });
  cli.env['CLAWDFATHER_POLICY_MCP_SECURITY'] = 'full';
  // For root the tree itself is a mount, and cannot be moved; what is above it can.
  const swap = `cd / && mv ${above} ${above}.old && mkdir ${above} && ln -s /tmp ${tree}`;
  const script = `${swap} && ${clf.join(' ')} exec -- ls -la`;
  const said = await cli.clf('run', '--tools', '--cwd', tree, '--', 'sh', '-c', script);
  assert.match(said.stderr, /cannot be prepared: the working tree .* leads to \/tmp/, said.stdout);
});

test('tools are refused where the working tree is part of our own program', { skip }, async (t) => {
  const { cli } = createMcpRig(t);
  settle(t, cli);
  const refused = await cli.clf('run', '--tools', '--cwd', dirname(launcherPath), '--', 'true');
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /part of Clawdfather's own program/);
});

test('TS4: a listener that is ended on request is replaced, too, and its agent sees the new one', {
  skip,
}, async (t) => {
  const { cli, connect } = createMcpRig(t);
  const project = settle(t, cli);
  cli.env['CLAWDFATHER_POLICY_MCP_SECURITY'] = 'full';
  const again = ['sh', '-c', 'while :; do "$@"; done', 'sh'];
  const agent = await connect({ wrap: [...agentRun(), ...again], flags: [], cwd: project });
  assert.equal(await says(agent, 'echo one'), 'one\n');
  const listener = async (): Promise<Listed | undefined> =>
    (await list(cli)).find(({ command }) => command.startsWith('clf mcp'));
  const first = await listener();
  await cli.clf('kill', first?.id ?? '');
  await until('there is another one, which serves the agent', async () => {
    const next = await listener();
    // While it starts, it has no process yet.
    if (next === undefined || next.id === first?.id || next.pid === null) return false;
    return childrenOf(next.pid) !== '';
  });
  assert.equal(await says(agent, 'echo two'), 'two\n');
  await agent.client.close();
});

test('clf inside of a shield says that it is one', { skip }, async (t) => {
  const { cli } = createMcpRig(t);
  const project = settle(t, cli);
  for (const [flag, hint] of [
    ['--shield', /clf run --tools/],
    ['--tools', /In here work: clf mcp/],
  ] as const) {
    const said = await cli.clf('run', flag, '--cwd', project, '--', ...clf, 'ps');
    assert.equal(said.code, 125);
    assert.match(said.stderr, /this runs in a shield/);
    assert.match(said.stderr, hint);
  }
});
