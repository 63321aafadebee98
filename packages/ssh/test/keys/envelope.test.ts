/*
 * Secrets at rest: what was moved, cut, or belongs to others opens nowhere; a rotation loses nothing.
 */
import assert from 'node:assert/strict';
import { createCipheriv, hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import { openSecret, rewrapSecret, sealSecret, type SecretPlace } from '../../src/keys/envelope.ts';
import { createMasterKms, type MasterKey } from '../../src/keys/kms.ts';

const random = createSystemRandom();
const secret = 'the private half of a key';
const place: SecretPlace = {
  table: 'agent_keypairs',
  rowId: 'row-a',
  accountId: 'ann',
  version: 1,
};

function newMaster(): MasterKey {
  const bytes = Buffer.from(random.bytes(32));
  return { id: Buffer.from(random.bytes(8)).toString('hex'), bytes };
}

const master = newMaster();
const deps = { kms: createMasterKms([master], random), random };
const seal = (at: SecretPlace = place): Promise<string> =>
  sealSecret(deps, at, Buffer.from(secret));
const unreadable = { code: 'secret-unreadable' };

test('a secret opens where it was sealed, and two envelopes of it have nothing in common', async () => {
  const [one, other] = [await seal(), await seal()];
  assert.equal((await openSecret(deps, place, one)).toString(), secret);
  assert.equal(one.includes(Buffer.from(secret).toString('base64url').slice(0, 10)), false);
  assert.notEqual(one.split('.')[3], other.split('.')[3]);
  assert.notEqual(one.split('.')[4], other.split('.')[4]);
});

test('a secret moved to another row, table, account or version opens nowhere', async () => {
  const sealed = await seal();
  for (const elsewhere of [
    { rowId: 'row-b' },
    { table: 'push_subscriptions' },
    { accountId: 'bob' },
    { version: 2 },
  ]) {
    await assert.rejects(openSecret(deps, { ...place, ...elsewhere }, sealed), unreadable);
  }
  // What it says about its version is not simply believed.
  const relabelled = sealed.replace('clf-envelope.1.', 'clf-envelope.2.');
  await assert.rejects(openSecret(deps, { ...place, version: 2 }, relabelled), unreadable);
});

test('the halves of two envelopes do not fit each other', async () => {
  const [mark, version, masterId, wrapped] = (await seal()).split('.');
  const body = (await seal({ ...place, rowId: 'row-b' })).split('.')[4];
  const mixed = [mark, version, masterId, wrapped, body].join('.');
  await assert.rejects(openSecret(deps, place, mixed), unreadable);
});

test('every changed byte and every cut tag is refused', async () => {
  const parts = (await seal()).split('.');
  for (const at of [3, 4]) {
    const bytes = Buffer.from(parts[at] ?? '', 'base64url');
    const variants = [
      ...Array.from({ length: bytes.length }, (_, index) => {
        const copy = Buffer.from(bytes);
        copy[index] = (copy[index] ?? 0) ^ 1;
        return copy;
      }),
      // GCM itself allows tags of 4, 8 and 12 to 15 bytes.
      ...[1, 2, 3, 4, 8, 12, 15, 16, 28, bytes.length].map((cut) =>
        bytes.subarray(0, bytes.length - cut),
      ),
    ];
    for (const variant of variants) {
      const text = parts.with(at, variant.toString('base64url')).join('.');
      await assert.rejects(openSecret(deps, place, text), unreadable);
    }
  }
});

test('what is no envelope is refused as such', async () => {
  for (const text of [
    '',
    'clf-envelope',
    '....',
    'clf-envelope.1.zz.a.b',
    `${await seal()}.more`,
  ]) {
    await assert.rejects(openSecret(deps, place, text), unreadable);
  }
});

test('the key of an account is derived by HKDF from the master key and the account', async () => {
  const kek = Buffer.from(hkdfSync('sha256', master.bytes, 'ann', 'clawdfather-kek', 32));
  const dek = Buffer.from(random.bytes(32));
  const aad = Buffer.from('here');
  const nonce = Buffer.from(random.bytes(12));
  const cipher = createCipheriv('aes-256-gcm', kek, nonce, { authTagLength: 16 });
  cipher.setAAD(aad);
  const bytes = Buffer.concat([nonce, cipher.update(dek), cipher.final(), cipher.getAuthTag()]);
  const unwrapped = await deps.kms.unwrap(
    { masterId: master.id, bytes },
    { accountId: 'ann', aad },
  );
  assert.deepEqual(unwrapped, dek);
});

test('after a rotation the previous key opens, the current one wraps, and a lost one opens nothing', async () => {
  const sealed = await seal();
  const next = newMaster();
  const rotated = { kms: createMasterKms([next, master], random), random };
  assert.equal((await openSecret(rotated, place, sealed)).toString(), secret);
  const again = await rewrapSecret(rotated, place, sealed);
  assert.ok(again);
  assert.equal(await rewrapSecret(rotated, place, again), undefined);
  // Only the outer layer is new.
  assert.equal(again.split('.')[4], sealed.split('.')[4]);
  const onlyNext = { kms: createMasterKms([next], random) };
  assert.equal((await openSecret(onlyNext, place, again)).toString(), secret);
  await assert.rejects(openSecret(onlyNext, place, sealed), unreadable);
  await assert.rejects(rewrapSecret(rotated, { ...place, rowId: 'row-b' }, sealed), unreadable);
});
