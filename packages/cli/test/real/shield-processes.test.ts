/*
 * A shielded command that goes for other processes: the gateway, spawnd, shims (its own too), a run of the person's, another shielded run, and
 * the server of another agent. Over the API, MCP over HTTP and MCP on stdio, as root and as an ordinary user; outside, every way works.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createGatewayRig } from '../support/gateway-rig.ts';
import { createMcpRig, openPolicy } from '../support/mcp-rig.ts';
import { intruderScript, victimScript } from '../support/shield-intruder.ts';
import { canary, createShieldSite, shieldUsers } from '../support/shield-site.ts';
import { createTokenAgent } from '../support/token-agent.ts';

async function createSite(t: TestContext, isUser: boolean) {
  const site = createShieldSite(t, isUser, createGatewayRig);
  const { rig, home, project, wrap, own } = site;
  // The real one is written when the owner signs in.
  rmSync(join(home, '.config/clawdfather/gateways.json'));
  Object.assign(rig.env, {
    CLAWDFATHER_POLICY_MCP_SECURITY: 'full',
    CLAWDFATHER_GATEWAY_DIRECTORY: project,
  });
  for (const [name, script] of [
    ['victim.py', victimScript],
    ['intruder.py', intruderScript],
  ] as const) {
    writeFileSync(join(project, name), script);
    own(join(project, name));
  }
  const gateway = await rig.serve();
  const signedIn = await rig.clf('login');
  assert.equal(signedIn.code, 0, signedIn.stderr);
  const token = (await rig.clf('token', 'create', '--scope', 'read,run', 'agent')).stdout.trim();
  const agent = createTokenAgent(gateway.url, token);
  const local = await createMcpRig(t, rig).connect({ flags: openPolicy, cwd: project, wrap });
  const onStdio = async (command: string): Promise<Record<string, unknown>> =>
    (await local.call('exec', { command, yieldMs: 25_000 })).data;
  const doors = [...agent.doors, { name: 'stdio', exec: onStdio }];
  return { ...site, gateway, agent, local, doors };
}

for (const { name, isUser, skip } of shieldUsers) {
  test(`a shielded command of ${name} gets into no process outside, by any way or door`, {
    skip,
    timeout: 180_000,
  }, async (t) => {
    const { rig, gateway, agent, local, doors, project, outside } = await createSite(t, isUser);
    const socket = `clf-victim-${gateway.pid}`;
    const victim = rig.start(
      {},
      'run',
      '-g',
      gateway.url,
      '--env',
      `VICTIM=${canary}`,
      '--',
      'python3',
      join(project, 'victim.py'),
      socket,
      canary,
    );
    await victim.saw('ready');
    // One that is in a shield as well: what agents start is not each other's.
    const { runId } = (
      await agent.ask('/api/v1/runs', { argv: ['sleep', '600'], background: true })
    ).body;
    const below = descendants(gateway.pid);
    const names = below.map(commOf);
    for (const one of ['clf-spawnd', 'clf-shim', 'python3', 'sleep']) {
      assert.ok(names.includes(one), `${one} in ${names.join()}`);
    }
    const targets = [gateway.pid, local.pid, ...below];
    const intrude = ['python3', 'intruder.py', socket, ...targets.map(String)];

    for (const door of doors) {
      const said = await door.exec(`exec 2>&1; ${intrude.join(' ')}`);
      const output = String(said['output']);
      assert.equal(said['status'], 'completed', output);
      assert.doesNotMatch(output, /clf_canary/, door.name);
      const { tried, own } = readTries(output);
      assert.equal(tried.length, targets.length * waysCount + 1, output);
      for (const { pid, isIn, line } of tried) {
        assert.ok(!isIn, `${door.name}: ${commOf(pid)}: ${line}`);
        assert.match(line, /PermissionError$/, `${door.name}: ${line}`);
      }
      // What it was born with: nothing but its input and output.
      for (const line of own) assert.match(line, /^own [012] (?:pipe:|\/dev\/null)/, door.name);
      assert.equal(own.length, 3, output);
    }

    const byPerson = outside(intrude);
    const { tried } = readTries(byPerson.stdout);
    const python = below.find((pid) => commOf(pid) === 'python3');
    const ofVictim = tried.filter(({ pid }) => pid === python || pid === 0);
    assert.equal(ofVictim.length, waysCount + 1);
    for (const { isIn, line } of ofVictim) assert.ok(isIn, `outside: ${line}`);
    for (const way of ['environ', 'reopen', 'abstract']) {
      assert.match(ofVictim.find((one) => one.way === way)?.line ?? '', /clf_canary/, way);
    }
    assert.equal((await rig.clf('kill', '-g', gateway.url, String(runId))).code, 0);
  });
}

/* Of intruder.py, for each process. */
const waysCount = 16;

interface Try {
  /* 0: of the socket. */
  readonly pid: number;
  readonly way: string;
  readonly isIn: boolean;
  readonly line: string;
}

function readTries(output: string): { readonly tried: readonly Try[]; readonly own: string[] } {
  const lines = output.trim().split('\n');
  const tried = lines.flatMap((line) => {
    const [, pid, way = '', how] = /^(\d+) ([\w-]+) (in|out)\b/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), way, isIn: how === 'in', line }];
  });
  return { tried, own: lines.filter((line) => line.startsWith('own ')) };
}

function descendants(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const pids = children.split(' ').filter(Boolean).map(Number);
  return pids.flatMap((child) => [child, ...descendants(child)]);
}

function commOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'gone';
  }
}
