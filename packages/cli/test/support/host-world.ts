/*
 * A gateway of this machine with one host, `web`, whose key was accepted.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openSshd, type SshdRig } from '@clawdfather/testkit';
import { createGatewayRig, type GatewayRig, type ServedGateway } from './gateway-rig.ts';

export interface HostWorld {
  readonly rig: GatewayRig;
  readonly sshd: SshdRig;
  readonly project: string;
  readonly serving: ServedGateway;
  /* Of the gateway. */
  readonly url: string;
}

/* `env`: of the gateway, and of every command. */
export async function openHostWorld(
  t: TestContext,
  env: Readonly<Record<string, string>> = {},
): Promise<HostWorld> {
  const sshd = await openSshd(t);
  const rig = createGatewayRig(t);
  const home = mkdtempSync('/var/lib/clf-hosts-');
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, 'project');
  mkdirSync(project);
  Object.assign(rig.env, env, { HOME: home, XDG_CONFIG_HOME: join(home, '.config') });
  const serving = await rig.serve();
  assert.equal((await rig.clf('login')).code, 0);
  await rig.clf('key', 'create', 'main');
  sshd.authorize((await rig.clf('key', 'show', '--public', 'main')).stdout.trim());
  await rig.clf('host', 'add', 'web', `${sshd.user}@${sshd.host}:${sshd.port}`);
  const tested = await rig.clf('host', 'test', 'web', '--accept-host-key');
  assert.equal(tested.code, 0, tested.stdout + tested.stderr);
  t.after(async () => {
    const { stdout } = await rig.clf('session', 'ls', '--json');
    for (const line of stdout.split('\n').filter(Boolean)) {
      await rig.clf('session', 'close', (JSON.parse(line) as { id: string }).id);
    }
  });
  return { rig, sshd, project, serving, url: serving.url };
}
