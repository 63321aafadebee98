/*
 * Hosts and machines that are otherwise than usual: dropbear in place of sshd, and a full disk on our side.
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  dropbearSkip,
  openDropbear,
  openSmallDisk,
  openSshd,
  smallDiskSkip,
  sshdSkip,
} from '@clawdfather/testkit';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, testConfig } from '../fixtures/open-test-gateway.ts';
import {
  addHost,
  closeSessions,
  runOn,
  sleepsFor,
  sleepWord,
  startOn,
  untilTrue,
} from './host-world.ts';

test('dropbear: a test, commands with their codes and input, and the end of one', {
  skip: dropbearSkip,
}, async () => {
  await using server = await openDropbear();
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  await addHost(ask, server);
  const done = await runOn(ask, { command: 'echo out; echo err >&2; exit 7' });
  assert.equal(done.exitCode, 7, JSON.stringify(done));
  assert.match(done.output, /out/);
  assert.match(done.output, /err/);
  const read = await runOn(ask, { argv: ['cat'], stdin: 'typed', eof: true, env: { A: 'b' } });
  assert.equal(read.output, 'typed', JSON.stringify(read));
  const word = sleepWord();
  const runId = await startOn(ask, { command: `sleep ${word} & exec sleep ${word}` });
  await untilTrue(() => sleepsFor(word) === 2);
  await ask('POST', `runs/${runId}/cancel`, { body: {} });
  await untilTrue(async () => (await ask('GET', `runs/${runId}`)).body.exit !== null);
  assert.equal(sleepsFor(word), 0);
  await closeSessions(ask);
  await untilTrue(async () => (await readdir(join(rig.config.stateDir, 'ssh'))).length === 0);
});

test('a full disk on our side: a start says so and leaves nothing, and then it works again', {
  skip: sshdSkip || smallDiskSkip,
}, async (t) => {
  const sshd = await openSshd(t);
  using disk = openSmallDisk('size=32m');
  const { stateDir } = testConfig(disk.path);
  await using rig = await openTestGateway({ config: { stateDir } });
  // Before the gateway is closed, whatever happens.
  using _room = { [Symbol.dispose]: () => disk.relieve() };
  const ask = createAsk(rig);
  const connectionId = await addHost(ask, sshd);
  const start = () => ask('POST', 'sessions', { body: { connection_id: connectionId } });
  disk.fill();
  const refused = await start();
  assert.equal(refused.status, 502, JSON.stringify(refused.body));
  assert.equal(refused.body.error.detail.cause, 'local-limit');
  assert.deepEqual(await readdir(join(stateDir, 'ssh')), []);
  const [session] = (await ask('GET', 'sessions')).body.items;
  assert.deepEqual([session.status, session.error.code], ['error', 'ssh_connect_failed']);
  disk.relieve();
  assert.equal((await start()).status, 201);
  assert.equal((await runOn(ask, { argv: ['true'] })).exitCode, 0);
  disk.fill();
  const done = await runOn(ask, { argv: ['true'] });
  assert.deepEqual([done.httpStatus, done.error.code], [507, 'storage_full']);
  assert.match(done.error.hint ?? '', /space/, JSON.stringify(done));
  // Of the session; that of a command which did not start is gone.
  const leases = join(stateDir, 'host-commands', connectionId);
  await untilTrue(async () => (await readdir(leases)).length === 1);
  disk.relieve();
  assert.equal((await runOn(ask, { argv: ['true'] })).exitCode, 0);
  await closeSessions(ask);
  await untilTrue(async () => (await readdir(join(stateDir, 'ssh'))).length === 0);
});
