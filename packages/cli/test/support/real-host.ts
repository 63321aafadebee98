/*
 * A real sshd, a real gateway in a process of its own, and a person on its machine who is signed in. The host is added as a person adds
 * it, or at once.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { openSshd, type SshdRig } from '@clawdfather/testkit';
import type { CliProcess } from './cli-process.ts';
import { createGatewayRig, endOf, type GatewayRig, type ServedGateway } from './gateway-rig.ts';

export interface RealHost {
  readonly sshd: SshdRig;
  readonly rig: GatewayRig;
  /* `USER@HOST:PORT`. */
  readonly address: string;
  readonly url: string;
  /* A shell line on the host `web`. */
  readonly run: (script: string, ...flags: string[]) => CliProcess;
  /* Kills the gateway and starts the next one at the same address. */
  readonly killGateway: (meanwhile?: () => Promise<void>) => Promise<void>;
}

export async function openRealHost(context: TestContext): Promise<RealHost> {
  const sshd = await openSshd(context);
  const rig = createGatewayRig(context);
  let gateway: ServedGateway = await rig.serve();
  const { url } = gateway;
  const signedIn = await rig.clf('login');
  assert.equal(signedIn.code, 0, signedIn.stderr);
  return {
    sshd,
    rig,
    url,
    address: `${sshd.user}@${sshd.host}:${sshd.port}`,
    run: (script, ...flags) =>
      rig.start({}, 'run', '--host', 'web', ...flags, '--', 'sh', '-c', script),
    killGateway: async (meanwhile) => {
      gateway.child.kill('SIGKILL');
      await endOf(gateway);
      await meanwhile?.();
      gateway = await rig.serve('--listen', new URL(url).host);
    },
  };
}

/* The same without a conversation. */
export async function addWeb({ rig, sshd, address }: RealHost): Promise<void> {
  await rig.clf('key', 'create', 'main');
  sshd.authorize((await rig.clf('key', 'show', '--public')).stdout.trim());
  await rig.clf('host', 'add', 'web', address);
  const tested = await rig.clf('host', 'test', 'web', '--accept-host-key');
  assert.equal(tested.code, 0, tested.stdout + tested.stderr);
}
