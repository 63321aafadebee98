/*
 * What agents ask for at a gateway, seen from the command line: a token's command is held, shown with `--gateway`, and decided by
 * nobody without a terminal.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import { openApprovals } from '@clawdfather/supervisor';
import { launcherPath } from '../support/cli-process.ts';
import { createGatewayRig, endOf } from '../support/gateway-rig.ts';

test('a command of a token waits, is listed with --gateway, and a program cannot allow it', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const home = rig.env['HOME'] ?? '';
  const { url } = await rig.serve();
  await rig.clf('login');
  const token = (await rig.clf('token', 'create', '--scope', 'read,run', 'agent')).stdout;
  const file = join(home, 'token');
  writeFileSync(file, token, { mode: 0o600 });
  const agent = {
    CLAWDFATHER_STATE_DIR: join(home, 'elsewhere'),
    XDG_CONFIG_HOME: join(home, 'agent-config'),
  };
  await rig.clfWith({ env: agent }, 'login', url, '--link-file', file);
  const made = join(home, 'made');
  const held = await rig.clfWith({ env: agent }, 'run', '--', '/usr/bin/touch', made);
  assert.equal(held.code, 125);
  assert.match(held.stderr, /has to allow it.*\n.*clf allow -g \S+ \w+.*clf approvals -g/);

  const listed = await rig.clf('approvals', '--gateway', url, '--json');
  const approval = JSON.parse(listed.stdout) as { id: string; argv: string[]; state: string };
  assert.deepEqual([approval.state, approval.argv], ['pending', ['/usr/bin/touch', made]]);
  assert.match((await rig.clf('approvals', '--gateway', url)).stdout, /\$ \/usr\/bin\/touch /);

  const { runId } = JSON.parse(listed.stdout) as { runId: string };
  const { stderr } = await rig.clf('logs', '--gateway', url, runId);
  assert.match(stderr, new RegExp(`run ${runId} waits for approval ${approval.id.slice(0, 12)}`));
  assert.match((await rig.clf('approvals', '--gateway', url)).stdout, / token agent +\S+\n/);
  assert.match(
    (await rig.clf('approvals')).stdout,
    /asked for at the gateway, account Owner \(yours\)/,
  );

  // In a session of its own, since whoever runs the tests may have a terminal.
  const allow = spawn(process.execPath, [launcherPath, 'allow', '--gateway', url, approval.id], {
    env: rig.env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: Buffer[] = [];
  allow.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const [code] = await once(allow, 'close');
  assert.equal(code, 125);
  assert.match(Buffer.concat(said).toString(), /no terminal|inside a run/);
  const byToken = await rig.clfWith({ env: agent }, 'approvals', '--gateway', url, '--json');
  assert.match(byToken.stdout, /"state":"pending"/);
  assert.ok(!existsSync(made));
});

test('-f at a gateway goes on after it was killed and started again, and the log says who let what', {
  timeout: 120_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const home = rig.env['HOME'] ?? '';
  const served = await rig.serve();
  const { port } = new URL(served.url);
  await rig.clf('login');
  const token = (await rig.clf('token', 'create', '--scope', 'read,run', 'agent')).stdout;
  const agent = {
    CLAWDFATHER_STATE_DIR: join(home, 'elsewhere'),
    XDG_CONFIG_HOME: join(home, 'agent-config'),
  };
  await rig.clfWith({ env: agent, input: token }, 'login', served.url);
  const ask = async (name: string): Promise<string> => {
    const made = join(home, name);
    const held = await rig.clfWith({ env: agent }, 'run', '--json', '--', '/usr/bin/touch', made);
    return String(/allow -g \S+ (\w{16})/.exec(held.stderr)?.[1]);
  };
  const following = rig.start({}, 'approvals', '-g', served.url, '-f', '--json');
  const first = await ask('one');
  await following.saw(first);
  served.child.kill('SIGKILL');
  await endOf(served);
  const again = await rig.serve('--listen', `127.0.0.1:${port}`);
  assert.equal(again.url, served.url);
  const second = await ask('two');
  await following.saw(second);
  following.child.kill('SIGINT');
  const { code, stdout } = await following.result;
  assert.equal(code, 0);
  const seen = stdout.split('\n').filter(Boolean);
  assert.deepEqual(
    seen.map((line) => (JSON.parse(line) as { readonly id: string }).id),
    [first, second],
  );

  const { stdout: log } = await rig.clf('audit');
  assert.match(
    log,
    new RegExp(
      `run.held token:\\w+ \\(agent\\) → \\w+ \\$ /usr/bin/touch \\S+/two; waits for approval ${second}\n`,
    ),
  );
  assert.doesNotMatch(log, /run\.start/);
});

test('rules at a gateway are listed and completed; a program cannot revoke one', {
  timeout: 60_000,
}, async (context) => {
  const rig = createGatewayRig(context);
  const { url } = await rig.serve();
  await rig.clf('login');
  const at = ['-g', url];
  assert.match(
    (await rig.clf('rules', ...at)).stdout,
    /No program was allowed for ever at this machine's gateway/,
  );
  const ruleId = '0123456789abcdef';
  const store = await openApprovals({ stateDir: rig.stateDir });
  const file = { namedPath: '/usr/bin/make', realPath: '/usr/bin/make' };
  const made = { approvalId: ruleId, addedBy: 'cli:ann', addedAtMs: 1, account: 'local' };
  await store.write((tx) => tx.insertAllowRule({ ruleId, ...file, ...made }));
  const listed = await rig.clf('rules', ...at, '--json');
  const rule = JSON.parse(listed.stdout) as Record<string, unknown>;
  assert.deepEqual(
    [rule['id'], rule['program'], rule['runsAnything']],
    [ruleId, file.namedPath, true],
  );
  assert.deepEqual(cliShapes.rule.parse(rule), rule);
  const words = await rig.clf('__complete', '--', 'rules', 'rm', ...at, '');
  assert.equal(words.stdout, `words\n${ruleId}\t/usr/bin/make\n`);
  const removing = spawn(process.execPath, [launcherPath, 'rules', 'rm', ...at, '0123'], {
    env: rig.env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: Buffer[] = [];
  removing.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  assert.equal((await once(removing, 'close'))[0], 125);
  assert.match(Buffer.concat(said).toString(), /no terminal|inside a run/);
  await store.write((tx) => tx.revokeRule(ruleId, 'cli:bob', 2));
  await store.close();
  assert.match((await rig.clf('rules', '-a', ...at)).stdout, /revoked by cli:bob/);
});
