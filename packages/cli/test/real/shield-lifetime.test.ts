/*
 * A shielded run lives as any other does: it outlives the gateway and is taken over by the next one, its time limit holds in between, its
 * whole tree is ended, and what it leaves behind is listed. As root and as an ordinary user.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createGatewayRig, endOf, type GatewayRig } from '../support/gateway-rig.ts';
import { isGone } from '../support/mcp-rig.ts';
import { createShieldSite, shieldUsers } from '../support/shield-site.ts';
import { createTokenAgent, type TokenAgent } from '../support/token-agent.ts';

async function createSite(t: TestContext, isUser: boolean) {
  const site = createShieldSite(t, isUser, createGatewayRig);
  const { rig, home, project } = site;
  rmSync(join(home, '.config/clawdfather/gateways.json'));
  Object.assign(rig.env, {
    CLAWDFATHER_POLICY_MCP_SECURITY: 'full',
    CLAWDFATHER_GATEWAY_DIRECTORY: project,
  });
  const gateway = await rig.serve();
  const signedIn = await rig.clf('login', '--no-default');
  assert.equal(signedIn.code, 0, signedIn.stderr);
  const create = ['token', 'create', '-g', gateway.url, '--scope', 'read,run', 'agent'];
  const token = (await rig.clf(...create)).stdout.trim();
  return { ...site, gateway, token };
}

async function start(agent: TokenAgent, command: string, more: object = {}): Promise<string> {
  const { status, body } = await agent.ask('/api/v1/runs', { command, ...more });
  assert.equal(status, 201, JSON.stringify(body));
  return String(body['runId']);
}

/* What it has said, when it has said this. Read from the journal, with or without a gateway. */
async function untilSaid(rig: GatewayRig, runId: string, word: string): Promise<string> {
  const reader = rig.start({}, 'logs', '-f', '-g', 'local', runId);
  await reader.saw(word);
  reader.child.kill('SIGKILL');
  return reader.stdout();
}

for (const { name, isUser, skip } of shieldUsers) {
  test(`shielded runs of ${name} outlive the gateway, with their limits, and end as a whole`, {
    skip,
    timeout: 120_000,
  }, async (t) => {
    const { rig, gateway, token, outside } = await createSite(t, isUser);
    const first = createTokenAgent(gateway.url, token);
    const server = await start(
      first,
      'mkfifo door; setsid sleep 601 & echo "pids $$ $!"; while true; do read x < door; echo "got $x"; cat ~/.ssh/id; done 2>&1',
    );
    const pids = /pids (\d+) (\d+)\n/.exec(await untilSaid(rig, server, 'pids'));
    const [, own = 0, child = 0] = pids?.map(Number) ?? [];
    const limited = await start(first, 'echo "pid $$"; exec sleep 602', { timeoutSeconds: 2 });
    const limitedPid = Number(/pid (\d+)/.exec(await untilSaid(rig, limited, 'pid'))?.[1]);
    const record = (await first.ask(`/api/v1/runs/${server}`)).body;
    assert.equal(record['pid'], own, 'pids are those of the machine');

    gateway.child.kill('SIGKILL');
    await endOf(gateway);
    assert.ok(!isGone(own) && !isGone(child));
    assert.equal(outside(['sh', '-c', 'echo alone > door']).status, 0);
    // Its shim ends it, and no one else is there.
    while (!isGone(limitedPid)) await new Promise((resolve) => setTimeout(resolve, 20));

    const second = createTokenAgent((await rig.serve()).url, token);
    const over = (await second.ask(`/api/v1/runs/${limited}/wait`)).body;
    assert.match(JSON.stringify(over), /overall-timeout/);
    const said = await untilSaid(rig, server, 'No such file');
    assert.match(said, /got alone\n/, 'it went on');
    assert.match(
      JSON.stringify((await second.ask(`/api/v1/runs/${server}`)).body),
      /"shield":"full"/,
    );
    const ended = await second.ask(`/api/v1/runs/${server}/cancel`, {});
    assert.equal(ended.status, 200, JSON.stringify(ended.body));
    assert.match(JSON.stringify(ended.body), /manual-cancel/);
    assert.ok(isGone(own) && isGone(child), 'what left its session, too');

    const left = await start(second, 'setsid sleep 603 & echo "left $!"', { yieldMs: 20_000 });
    const leftPid = Number(/left (\d+)/.exec(await untilSaid(rig, left, 'left'))?.[1]);
    const finished = JSON.stringify((await second.ask(`/api/v1/runs/${left}`)).body);
    assert.match(finished, new RegExp(`"reason":"exit".*${leftPid}`), 'it is listed');
    assert.ok(!isGone(leftPid));
    assert.equal((await second.ask(`/api/v1/runs/${left}/cancel`, {})).status, 200);
    assert.ok(isGone(leftPid));
  });
}
