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
import { launcherPath } from '../support/cli-process.ts';
import { createGatewayRig } from '../support/gateway-rig.ts';

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
