/*
 * Masters for tests: a real ssh under a real supervisor, a key that a real sshd knows, and the check that nothing is left of them.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createSupervisor, shimBinaryPath, type Supervisor } from '@clawdfather/supervisor';
import { openSshd, type SshdOptions, type SshdRig } from '@clawdfather/testkit';
import { ownerKinds } from '../../src/addresses/address-policy.ts';
import { createOpensshKey, type OpensshKey } from '../../src/keys/openssh-key.ts';
import type { Master, MasterDeps, MasterRequest } from '../../src/master/master.ts';
import { openMaster } from '../../src/master/open-master.ts';
import { type HostKey, parseHostKey } from '../../src/pins/host-key.ts';

export const clock = createSystemClock();
export const random = createSystemRandom();

export interface Rig {
  readonly sshd: SshdRig;
  readonly key: OpensshKey;
  readonly baseDir: string;
  readonly stateDir: string;
  readonly supervisor: Supervisor;
  readonly deps: MasterDeps;
  readonly ended: { count: number };
  open(change?: Partial<MasterRequest>, signal?: AbortSignal): Master;
}

const never = new AbortController().signal;

export interface RigOptions {
  readonly sshd?: SshdOptions;
  readonly deps?: Partial<MasterDeps>;
}

export async function openRig(t: TestContext, options: RigOptions = {}): Promise<Rig> {
  const sshd = await openSshd(t, options.sshd);
  const baseDir = await mkdtemp(join(tmpdir(), 'clf-m-'));
  const stateDir = await mkdtemp(join(tmpdir(), 'clf-master-'));
  t.after(async () => {
    await rm(baseDir, { recursive: true, force: true });
    await rm(stateDir, { recursive: true, force: true });
  });
  const supervisor = await openSupervisor(t, stateDir);
  const key = await createOpensshKey(random, 'clawdfather-test');
  sshd.authorize(key.publicKey);
  const deps: MasterDeps = {
    supervisor,
    clock,
    random,
    log: silentLog,
    lookup: async () => [],
    shimPath: shimBinaryPath(),
    sshPath: '/usr/bin/ssh',
    home: baseDir,
    baseDir,
    ...options.deps,
  };
  const ended = { count: 0 };
  return {
    sshd,
    key,
    baseDir,
    stateDir,
    supervisor,
    deps,
    ended,
    open: (change = {}, signal = never) =>
      openMaster(
        deps,
        { ...requestOf({ sshd, key }), ...change },
        { hooks: hooksOf(ended), signal },
      ),
  };
}

export async function openSupervisor(t: TestContext, stateDir: string): Promise<Supervisor> {
  const supervisor = await createSupervisor({
    stateDir,
    launcher: 'spawnd',
    adoption: 'adopt',
    clock,
    random,
    log: silentLog,
  });
  t.after(() => supervisor.close());
  return supervisor;
}

export function hooksOf(ended: { count: number }) {
  return {
    endCommands: async () => void (ended.count += 1),
    failCommands: () => {},
    changed: () => {},
  };
}

export function requestOf({ sshd, key }: Pick<Rig, 'sshd' | 'key'>): MasterRequest {
  return {
    connectionId: random.id(),
    host: sshd.host,
    port: sshd.port,
    user: sshd.user,
    policy: { allowedKinds: ownerKinds, ownListeners: [], ownAddresses: [] },
    pin: pinOf(sshd.hostKey.line),
    keys: [{ id: 'one', publicKey: key.publicKey, open: async () => Buffer.from(key.privateFile) }],
    connectSeconds: 10,
    failedLoginMsAgo: undefined,
    sessionId: 'session',
    backendId: 'ssh',
    labels: {},
  };
}

export function pinOf(line: string): HostKey {
  const reading = parseHostKey(line);
  assert.equal(reading.outcome, 'read');
  return (reading as { key: HostKey }).key;
}

export async function nothingLeft({ baseDir, supervisor }: Rig): Promise<void> {
  assert.deepEqual(await readdir(baseDir), []);
  assert.equal(supervisor.list({ hasTree: true }).length, 0);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
