/*
 * Many hosts at once: sessions start for a command on each, all are closed, and nothing is left. `npm run test:hosts:long` has fifty.
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fingerprintOf, formatHostKey, parseHostKey } from '@clawdfather/ssh';
import { openSshd, type SshdRig, sshdSkip } from '@clawdfather/testkit';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { processesWith, runOn, untilTrue } from './host-world.ts';

const count = Number(process.env['HOSTS'] ?? 8);
/* Connections to one sshd: it is what answers that is many. */
const perServer = 5;

interface Made {
  readonly id: string;
  readonly label: string;
}

/* As if it had been made and tested over the API, which has limits for an hour. */
async function addConnection(
  { gateway, owner }: TestGateway,
  { host, port, user: username, hostKey }: SshdRig,
  { label, keypairId }: { readonly label: string; readonly keypairId: string },
): Promise<Made> {
  const audit = { action: 'test', actor: 'test' };
  const { connections } = gateway.store.forAccount(owner.accountId);
  const fields = { label, host, port, username, keypairId };
  const made = await connections.create({ fields, audit });
  assert.ok(made.outcome === 'created');
  const { id } = made.connection;
  const reading = parseHostKey(hostKey.line);
  assert.ok(reading.outcome === 'read');
  const pin = { key: formatHostKey(reading.key), fingerprint: fingerprintOf(reading.key) };
  await connections.recordTest({ id, result: 'ok', pin, audit });
  return { id, label };
}

test(`${count} hosts at once`, { skip: sshdSkip }, async (t) => {
  const servers = await Promise.all(
    Array.from({ length: Math.ceil(count / perServer) }, () => openSshd(t)),
  );
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const { key } = (await ask('POST', 'keys', { body: { label: 'key' } })).body;
  for (const sshd of servers) sshd.authorize(key.public_key);
  const beganAt = performance.now();
  const since = (): number => Math.round(performance.now() - beganAt);
  const hosts: Made[] = await Promise.all(
    Array.from({ length: count }, (_, at) => {
      const sshd = servers[Math.floor(at / perServer)];
      assert.ok(sshd !== undefined);
      return addConnection(rig, sshd, { label: `host-${at}`, keypairId: key.id });
    }),
  );
  await Promise.all(
    hosts.map(async ({ label }, at) => {
      const done = await runOn(ask, { host: label, command: `echo ${label}; exit ${at}` });
      assert.deepEqual([done.exitCode, done.output], [at, `${label}\n`], JSON.stringify(done));
    }),
  );
  t.diagnostic(`started, and a command has run on each, after ${since()} ms`);
  const { items } = (await ask('GET', 'sessions?status=active&limit=100')).body;
  assert.equal(items.length, count);
  await Promise.all(items.map(({ id }: Made) => ask('DELETE', `sessions/${id}`)));
  const { stateDir } = rig.config;
  await untilTrue(async () => (await readdir(join(stateDir, 'ssh'))).length === 0);
  for (const { id } of hosts)
    assert.deepEqual(await readdir(join(stateDir, 'host-commands', id)), []);
  await untilTrue(() => processesWith(join(stateDir, 'ssh')).length === 0);
  t.diagnostic(`closed after ${since()} ms`);
});
