/*
 * What a connection may not reach: a member's neither this machine nor what listens on it, and no account's the metadata of a cloud or the
 * gateway itself. It is refused before anything is dialled.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSshd, sshdSkip } from '@clawdfather/testkit';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

type Place = readonly [host: string, port: number];

interface Asker {
  readonly token: string;
  readonly keyId: string;
}

async function askerOf(rig: TestGateway, token: string): Promise<Asker> {
  const made = await createAsk(rig)('POST', 'keys', { token, body: { label: 'key' } });
  return { token, keyId: made.body.key.id };
}

/* What a test, a session and a probe are answered. */
async function answersAt(
  rig: TestGateway,
  { token, keyId }: Asker,
  [host, port]: Place,
): Promise<readonly string[]> {
  const ask = createAsk(rig);
  const body = { label: `${host} ${port}`, host, port, username: 'root', keypair_id: keyId };
  const made = await ask('POST', 'connections', { token, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = made.body.connection;
  const answers = [
    await ask('POST', `connections/${id}/test`, { token, body: { accept_host_key: true } }),
    await ask('POST', 'sessions', { token, body: { connection_id: id } }),
    await ask('POST', 'connections/probe', { token, body: { host, port } }),
  ];
  return answers.map((answer) => answer.body.error?.code ?? answer.text);
}

/* A connection that was never tested has no session. */
const refused = ['host_not_allowed', 'connection_not_tested', 'host_not_allowed'];

test('a member reaches neither this machine nor the metadata of a cloud', {
  skip: sshdSkip,
}, async (t) => {
  const sshd = await openSshd(t);
  await using rig = await openTestGateway();
  const places: readonly Place[] = [
    ['127.0.0.1', sshd.port],
    ['127.0.0.1', Number(new URL(rig.url).port)],
    ['localhost', sshd.port],
    ['::1', sshd.port],
    ['::ffff:127.0.0.1', sshd.port],
    ['169.254.169.254', 80],
    ['fe80::1', 22],
  ];
  const member = await askerOf(rig, rig.other.token);
  for (const place of places)
    assert.deepEqual(await answersAt(rig, member, place), refused, place.join(' '));
  assert.doesNotMatch(sshd.log(), /Connection|Accepted/, 'nothing was dialled');
});

test('the gateway itself and the metadata of a cloud are for no account', async () => {
  await using rig = await openTestGateway();
  const places: readonly Place[] = [
    ['127.0.0.1', Number(new URL(rig.url).port)],
    ['169.254.169.254', 80],
  ];
  const owner = await askerOf(rig, rig.owner.token);
  for (const place of places)
    assert.deepEqual(await answersAt(rig, owner, place), refused, place.join(' '));
});
