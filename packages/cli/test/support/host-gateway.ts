/*
 * A gateway in this process whose hosts answer as the test says, and a person who is signed in to it as `home`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { usualRetention } from '@clawdfather/supervisor';
import { type Gateway, type GatewayDeps, openServer } from '../../src/serve.ts';
import { createCliRig, type CliResult, type CliRig } from './cli-process.ts';
import { signIn } from './signed-in.ts';

type HostChecks = NonNullable<GatewayDeps['hostChecks']>;
type TestCall = Parameters<HostChecks['test']>[0];
type TestAnswer = Awaited<ReturnType<HostChecks['test']>>;

export interface FakeHost {
  /* Of its host key. */
  fingerprint: string;
  /* Whether it has the new key, the old one, or none of them. */
  hasKey: 'new' | 'old' | 'none';
  tests: number;
}

export interface HostRig {
  readonly host: FakeHost;
  readonly rig: CliRig;
  readonly gateway: Gateway;
  /* For a terminal. */
  readonly env: Readonly<Record<string, string>>;
  readonly clf: (...args: string[]) => Promise<CliResult>;
}

export const firstKey = `SHA256:${'a'.repeat(43)}`;
export const otherKey = `SHA256:${'b'.repeat(43)}`;

export async function createHostRig(context: TestContext): Promise<HostRig> {
  const rig = createCliRig(context);
  const host: FakeHost = { fingerprint: firstKey, hasKey: 'none', tests: 0 };
  const directory = join(rig.env['HOME'] ?? '', 'gateway');
  mkdirSync(directory, { mode: 0o700 });
  const gateway = await openServer(configOf(directory), {
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: silentLog,
    hostChecks: createChecks(host),
  });
  context.after(() => gateway.close());
  const { url } = gateway;
  const served = { url, loginLink: await gateway.createLoginLink() };
  const { clf, env } = await signIn(rig, served);
  return { host, rig, gateway, clf, env: { ...rig.env, ...env } };
}

function createChecks(host: FakeHost): HostChecks {
  return {
    probe: async () => ({ status: 'connectable' }),
    test: async (call) => {
      host.tests += 1;
      return answer(host, call);
    },
  };
}

function answer({ fingerprint, hasKey }: FakeHost, call: TestCall): TestAnswer {
  const { connection, acceptHostKey, expectedFingerprint } = call;
  const { pinFingerprint: pinned, keypairId, nextKeypairId } = connection;
  const offered = { offered: { key: `ssh-ed25519 ${fingerprint}`, fingerprint } };
  const isAccepted =
    acceptHostKey && (expectedFingerprint === undefined || expectedFingerprint === fingerprint);
  if (pinned !== fingerprint && !isAccepted) {
    return pinned === undefined
      ? { result: 'host_key_unknown', message: 'its host key is not known yet', ...offered }
      : { result: 'host_key_changed', message: 'its host key has changed', ...offered };
  }
  const accepted = { ...offered, isAccepted };
  const key = hasKey === 'new' ? (nextKeypairId ?? keypairId) : keypairId;
  return hasKey === 'none'
    ? {
        result: 'failed',
        cause: 'key-not-installed',
        message: 'it does not have the key',
        ...accepted,
      }
    : { result: 'ok', message: 'logged in', latencyMs: 12, keypairId: key, ...accepted };
}

function configOf(directory: string): Parameters<typeof openServer>[0] {
  return {
    version: '0.0.0-test',
    stateDir: join(directory, 'state'),
    database: { kind: 'sqlite', path: join(directory, 'control.db') },
    listen: { host: '127.0.0.1', port: 0 },
    trustedProxies: [],
    metricsNetworks: [],
    runs: {
      personPolicy: { security: 'full', ask: 'off' },
      agentPolicy: { security: 'allowlist', ask: 'on-miss' },
      allow: [],
      environment: { PATH: '/usr/bin:/bin' },
      directory,
      retention: usualRetention,
    },
  };
}
