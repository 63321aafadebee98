/*
 * Machines on which the shield cannot be had whole: one where user namespaces can be made, and nothing can be mounted in them, as AppArmor
 * has it for ordinary users on Ubuntu; one where they cannot be made at all; and one with an older Landlock. Everything says so, every command of an agent is asked about, and where the whole is required nothing starts.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createGatewayRig } from '../support/gateway-rig.ts';
import { createMcpRig, openPolicy } from '../support/mcp-rig.ts';
import { createShieldSite, shieldUsers } from '../support/shield-site.ts';
import { createTokenAgent } from '../support/token-agent.ts';

interface Machine {
  readonly name: string;
  /* Of strace: the call, and what it is answered with. */
  readonly call: string;
  readonly answer: string;
  /* Said wherever a person or an agent looks. */
  readonly why: RegExp;
  /* What an approved command tries: all that the part which can be had still refuses. */
  readonly refused: (gateway: number, secrets: string) => string;
}

const machines: readonly Machine[] = [
  {
    name: 'without mounts in user namespaces',
    call: 'mount',
    answer: 'error=EACCES',
    why: /commands cannot have mounts of their own \(Permission denied\)/,
    refused: (gateway) => `cat /proc/${gateway}/environ; kill -9 ${gateway}`,
  },
  {
    name: 'without user namespaces',
    call: 'unshare',
    answer: 'error=EPERM',
    why: /commands cannot have mounts of their own \(Operation not permitted\)/,
    refused: (gateway) => `cat /proc/${gateway}/environ; kill -9 ${gateway}`,
  },
  {
    // The first call of each process asks for the version; signals are in reach there.
    name: 'with an older Landlock',
    call: 'landlock_create_ruleset',
    answer: 'retval=4:when=1',
    why: /Landlock is older than Linux 6\.12 \(version 4\)/,
    refused: (gateway, secrets) =>
      `cat /proc/${gateway}/environ ${secrets} /proc/${gateway}/root${secrets}`,
  },
];

/* The tracer is a child of what it traces, so that a signal for the one is not for the other. */
const on = ({ call, answer }: Machine): readonly string[] =>
  `strace -D -f --seccomp-bpf -o /dev/null -e trace=${call} -e inject=${call}:${answer}`.split(' ');

const [, ordinary] = shieldUsers;
const skip = ordinary.skip || (!existsSync('/usr/bin/strace') && 'needs strace');

function createSite(t: TestContext, machine: Machine) {
  const site = createShieldSite(t, true, (test, place) =>
    createGatewayRig(test, { ...place, wrap: [...on(machine), ...(place.wrap ?? [])] }),
  );
  rmSync(join(site.home, '.config/clawdfather/gateways.json'));
  Object.assign(site.rig.env, {
    CLAWDFATHER_POLICY_MCP_SECURITY: 'full',
    CLAWDFATHER_GATEWAY_DIRECTORY: site.project,
  });
  return site;
}

for (const machine of machines) {
  test(`${machine.name} the level is partial everywhere, and what a policy allows is asked about`, {
    skip,
    timeout: 120_000,
  }, async (t) => {
    const { rig, home, project } = createSite(t, machine);
    const { url, pid } = await rig.serve();
    await rig.clf('login');
    const created = await rig.clf('token', 'create', '--scope', 'read,run', 'agent');
    const agent = createTokenAgent(url, created.stdout.trim());
    assert.equal((await agent.ask('/health')).body['shield'], 'partial');
    const { stdout } = await rig.clf('doctor', '--json');
    const findings = stdout.split('\n').filter((line) => line.includes('"shield"'));
    assert.match(findings.join(), machine.why);
    assert.match(findings.join(), /"warn"[^]*partial: [^]*asked about/);

    const secrets = join(home, '.config/clawdfather/gateways.json');
    const { token: device } = findToken(readFileSync(secrets, 'utf8'));
    for (const door of agent.doors) {
      const made = join(project, `made-${door.name}`);
      const line = `touch ${made}; ${machine.refused(pid, secrets)}`;
      const held = await door.exec(line);
      assert.equal(held['status'], 'approval-pending', JSON.stringify(held));
      assert.match(String(held['why']), machine.why);
      assert.match(
        (await rig.clf('approvals', '-g', url)).stdout.replaceAll(/\s+/g, ' '),
        machine.why,
      );
      const path = `/api/v1/approvals/${String(held['approvalId'])}`;
      assert.match(String((await agent.ask(path)).body['why']), /not fully shielded here/);
      const decided = await agent.ask(path, { decision: 'allow-once' }, device);
      assert.equal(decided.status, 200, JSON.stringify(decided.body));
      const runId = String(held['runId']);
      await rig.clf('wait', '-g', url, runId);
      const said = JSON.stringify((await agent.ask(`/api/v1/runs/${runId}`)).body);
      assert.match(said, /"shield":"partial"/, said);
      assert.match((await rig.clf('show', '-g', url, runId)).stdout, /shield +partial/);
      assert.ok(existsSync(made));
      const output = (await rig.clf('logs', '-g', url, runId)).stdout;
      assert.doesNotMatch(output, /CLAWDFATHER_POLICY|clf_/, 'what can be had is there');
    }
  });

  test(`${machine.name} it is asked about on stdio too, with the reason, and required is refused`, {
    skip,
  }, async (t) => {
    const site = createSite(t, machine);
    const { project, rig } = site;
    const wrap = [...on(machine), ...site.wrap];
    const { connect } = createMcpRig(t, rig);
    const agent = await connect({ flags: openPolicy, cwd: project, wrap });
    const held = await agent.call('exec', { command: 'echo hi' });
    assert.equal(held.data['status'], 'approval-pending');
    assert.match(held.text, machine.why);

    rig.env['CLAWDFATHER_SHIELD_MODE'] = 'require';
    const strict = await connect({ flags: openPolicy, cwd: project, wrap });
    const none = await strict.call('exec', { command: `touch ${project}/never` });
    assert.ok(none.isError, none.text);
    assert.match(none.text, /the shield is required: partial: /);
    assert.ok(!existsSync(join(project, 'never')));
    assert.match((await rig.clf('doctor')).stdout.replaceAll(/\s+/g, ' '), /agents start nothing/);
  });
}

function findToken(text: string): { readonly token: string } {
  const token = /clf_[\w-]{20,}/.exec(text)?.[0];
  assert.ok(token !== undefined);
  return { token };
}
