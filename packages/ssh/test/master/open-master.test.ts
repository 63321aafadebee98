/*
 * A master with a real ssh and a real sshd: it opens, is taken over, ends, and leaves nothing, whichever step fails.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openSshd, type SshdRig, sshdSkip } from '@clawdfather/testkit';
import { createOpensshKey } from '../../src/keys/openssh-key.ts';
import type { Master, MasterRequest } from '../../src/master/master.ts';
import { adoptMaster } from '../../src/master/open-master.ts';
import {
  clock,
  freePort,
  hooksOf,
  nothingLeft,
  openRig,
  openSupervisor,
  pinOf,
  random,
  requestOf,
} from './master-rig.ts';

const run = promisify(execFile);

/* A person's own ssh through it. */
async function through({ place }: Master, sshd: SshdRig, command: string): Promise<string> {
  const path = `ControlPath=${place.socketPath}`;
  const options = ['-F', place.passengerPath, '-o', path, '-o', 'ControlMaster=no'];
  const where = ['-o', 'ProxyCommand=false', '-p', String(sshd.port), `${sshd.user}@${sshd.host}`];
  const { stdout } = await run('ssh', [...options, ...where, '--', command]);
  return stdout;
}

test('it opens, serves, and a close leaves nothing', { skip: sshdSkip }, async (t) => {
  const rig = await openRig(t);
  const master = rig.open();
  assert.equal(await master.started, 'live');
  assert.equal(await through(master, rig.sshd, 'echo hello'), 'hello\n');
  assert.equal(master.signedWith(), 'one');
  assert.deepEqual((await readdir(master.place.directory)).sort(), [
    'config',
    'm',
    'passenger',
    'pin',
    'report',
  ]);
  const { cause } = await master.drain('closed');
  assert.equal(cause, 'closed');
  assert.equal(rig.ended.count, 1, 'its commands were ended first');
  await nothingLeft(rig);
});

test('the next owner takes it over, and its commands go on', { skip: sshdSkip }, async (t) => {
  const rig = await openRig(t);
  const master = rig.open();
  assert.equal(await master.started, 'live');
  const { runId, place } = master;
  assert.ok(runId !== undefined);
  await master.release();
  await rig.supervisor.close();
  const supervisor = await openSupervisor(t, rig.stateDir);
  const found = { runId, directory: place.directory, address: undefined };
  const again = await adoptMaster({ ...rig.deps, supervisor }, found, hooksOf(rig.ended));
  assert.ok(again !== undefined);
  assert.equal(await through(again, rig.sshd, 'echo still'), 'still\n');
  assert.equal((await again.drain('key-revoked')).cause, 'key-revoked');
  assert.deepEqual(await readdir(rig.baseDir), []);
  const gone = await adoptMaster({ ...rig.deps, supervisor }, found, hooksOf(rig.ended));
  assert.equal(gone, undefined);
});

test('a host that closes it is the cause, and nothing is left', { skip: sshdSkip }, async (t) => {
  const rig = await openRig(t);
  const master = rig.open();
  assert.equal(await master.started, 'live');
  await rig.sshd.stop();
  assert.equal((await master.ended).cause, 'host-closed');
  await nothingLeft(rig);
});

test('a killed ssh is the cause, and nothing is left', { skip: sshdSkip }, async (t) => {
  const rig = await openRig(t);
  const master = rig.open();
  assert.equal(await master.started, 'live');
  const [record] = rig.supervisor.list({ hasTree: true });
  process.kill(record?.pid ?? 0, 'SIGKILL');
  assert.equal((await master.ended).cause, 'master-killed');
  await nothingLeft(rig);
});

test('every step that fails says which, and leaves nothing', { skip: sshdSkip }, async (t) => {
  const rig = await openRig(t);
  const other = await createOpensshKey(random, 'another');
  const strange = {
    id: 'two',
    publicKey: other.publicKey,
    open: async () => Buffer.from(other.privateFile),
  };
  const wrongPin = pinOf((await openSshd(t)).hostKey.line);
  const closedPort = await freePort();
  const cases: readonly (readonly [string, Partial<MasterRequest>])[] = [
    ['dns', { host: 'nowhere.invalid' }],
    [
      'address-forbidden',
      { policy: { allowedKinds: ['public'], ownListeners: [], ownAddresses: [] } },
    ],
    ['refused', { port: closedPort }],
    ['host-key-unknown', { pin: undefined }],
    ['host-key-changed', { pin: wrongPin }],
    ['key-not-installed', { keys: [strange] }],
    [
      'signer-refused',
      { keys: [{ ...strange, publicKey: rig.key.publicKey, open: async () => undefined }] },
    ],
  ];
  for (const [cause, change] of cases) {
    const end = await rig.open(change).started;
    assert.ok(end !== 'live', cause);
    assert.equal(end.cause, cause, end.stderr);
    if (cause.startsWith('host-key')) assert.equal(end.offered?.blob, rig.sshd.hostKey.blob);
    await nothingLeft(rig);
  }
});

test('a start that is given up leaves nothing', { skip: sshdSkip }, async (t) => {
  const rig = await openRig(t);
  for (const afterMs of [0, 1, 5, 20, 60]) {
    const giving = new AbortController();
    const master = rig.open({}, giving.signal);
    await clock.sleep(afterMs);
    giving.abort();
    const { cause } = await master.ended;
    assert.equal(cause, 'closed', `after ${afterMs} ms`);
    assert.ok(!existsSync(master.place.directory));
    await nothingLeft(rig);
  }
});

test('the new key of a rotation is offered first, and the old one still lets us in', {
  skip: sshdSkip,
}, async (t) => {
  const rig = await openRig(t);
  const next = await createOpensshKey(random, 'next');
  const newKey = {
    id: 'new',
    publicKey: next.publicKey,
    open: async () => Buffer.from(next.privateFile),
  };
  const keys = [newKey, ...requestOf(rig).keys];
  const before = rig.open({ keys });
  assert.equal(await before.started, 'live');
  assert.equal(before.signedWith(), 'one');
  await before.drain('closed');
  rig.sshd.authorize(next.publicKey);
  const after = rig.open({ keys });
  assert.equal(await after.started, 'live');
  assert.equal(after.signedWith(), 'new');
  await after.drain('closed');
});
