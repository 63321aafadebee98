/*
 * What all contenders share: one real sshd on loopback, one key that it lets in, and OpenSSH's own client set up as a person would
 * who has accepted the host's key. Nothing of the machine's own ssh is read.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, type Scope, silentLog } from '@clawdfather/kit';
import { type HostKey, type MasterDeps, type MasterRequest, ownerKinds } from '@clawdfather/ssh';
import { parseHostKey } from '@clawdfather/ssh';
import { createSupervisor, shimBinaryPath, type Supervisor } from '@clawdfather/supervisor';
import { openSshd, type SshdRig } from '@clawdfather/testkit';
import { sshPath } from './contenders/run-ssh.ts';
import { createOpensshKey } from '../../../packages/ssh/src/keys/openssh-key.ts';

export interface World {
  readonly directory: string;
  readonly sshd: SshdRig;
  /* Options of OpenSSH's client, and where it goes: `[…, 'user@host']`. */
  readonly sshArgs: readonly string[];
  readonly privateKeyPath: string;
  readonly supervisor: Supervisor;
  readonly masterDeps: MasterDeps;
  readonly masterRequest: MasterRequest;
}

export const clock = createSystemClock();
export const random = createSystemRandom();

/* 32 at a time, those that are just being closed, and places for pings and sweeps. */
const sessionsMax = 200;

export async function openWorld(scope: Scope, directory: string): Promise<World> {
  const sshd = await openSshd(scope, { config: [`MaxSessions ${sessionsMax}`] });
  const key = await createOpensshKey(random, 'clawdfather-bench');
  sshd.authorize(key.publicKey);
  const privateKeyPath = join(directory, 'key');
  writeFileSync(privateKeyPath, key.privateFile, { mode: 0o600 });
  const knownPath = join(directory, 'known-hosts');
  writeFileSync(knownPath, `[${sshd.host}]:${sshd.port} ${sshd.hostKey.line}\n`);
  const configPath = join(directory, 'ssh-config');
  writeFileSync(configPath, formatConfig(privateKeyPath, knownPath));
  const baseDir = join(directory, 'm');
  mkdirSync(baseDir, { mode: 0o700 });
  const supervisor = await createSupervisor({ stateDir: join(directory, 'supervisor') });
  scope.defer(() => supervisor.close());
  return {
    directory,
    sshd,
    sshArgs: ['-F', configPath, '-p', String(sshd.port), `${sshd.user}@${sshd.host}`],
    privateKeyPath,
    supervisor,
    masterDeps: {
      supervisor,
      clock,
      random,
      log: silentLog,
      lookup: async () => [],
      shimPath: shimBinaryPath(),
      sshPath,
      home: directory,
      baseDir,
    },
    masterRequest: {
      connectionId: random.id(),
      host: sshd.host,
      port: sshd.port,
      user: sshd.user,
      policy: { allowedKinds: ownerKinds, ownListeners: [], ownAddresses: [] },
      pin: pinOf(sshd.hostKey.line),
      keys: [
        { id: 'bench', publicKey: key.publicKey, open: async () => Buffer.from(key.privateFile) },
      ],
      connectSeconds: 10,
      failedLoginMsAgo: undefined,
      sessionId: 'ssh',
      backendId: 'ssh',
      labels: {},
    },
  };
}

function formatConfig(keyPath: string, knownPath: string): string {
  const options = [
    ['IdentityFile', keyPath],
    ['IdentitiesOnly', 'yes'],
    ['IdentityAgent', 'none'],
    ['UserKnownHostsFile', knownPath],
    ['GlobalKnownHostsFile', 'none'],
    ['StrictHostKeyChecking', 'yes'],
    ['BatchMode', 'yes'],
    ['LogLevel', 'ERROR'],
  ];
  return options.map(([name, value]) => `${name} ${value}\n`).join('');
}

function pinOf(line: string): HostKey {
  const reading = parseHostKey(line);
  if (reading.outcome !== 'read') throw new Error(`not a key of a host: ${line}`);
  return reading.key;
}
