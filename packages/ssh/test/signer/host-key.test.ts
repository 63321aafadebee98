/*
 * Signatures of hosts: each kind verifies, and nothing that is changed, mixed or odd does.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { verifyHostSignature } from '../../src/signer/host-key.ts';
import { formatString } from '../../src/wire.ts';
import { hostKinds, join, makeHost, type TestHost } from '../rig/host-signer.ts';

const hosts: readonly TestHost[] = hostKinds.map((kind) => makeHost(kind));
const [ed, p256, , , rsa] = hosts as [TestHost, TestHost, TestHost, TestHost, TestHost];

function verify(host: TestHost, data: Buffer, signature: Buffer): boolean {
  return verifyHostSignature({ hostKey: host.blob, data, signature });
}

test('every kind of host key verifies its own signatures, and no other host does', () => {
  for (const host of hosts) {
    // Many: ecdsa's numbers have leading zeros now and then.
    for (let count = 0; count < 40; count += 1) {
      const data = randomBytes(32);
      const signature = host.sign(data);
      assert.equal(verify(host, data, signature), true);
      assert.equal(verify(host, randomBytes(32), signature), false);
      for (const other of hosts) {
        if (other !== host) assert.equal(verify(other, data, signature), false);
      }
    }
  }
});

test('both hashes of rsa verify, SHA-1 does not (H2)', () => {
  const data = randomBytes(32);
  assert.equal(verify(rsa, data, rsa.sign(data, 'rsa-sha2-256')), true);
  assert.equal(verify(rsa, data, rsa.sign(data, 'rsa-sha2-512')), true);
  assert.equal(verify(rsa, data, rsa.sign(data, 'ssh-rsa')), false);
});

test('the name of the algorithm belongs to the key', () => {
  const data = randomBytes(32);
  assert.equal(verify(ed, data, ed.sign(data, 'ssh-ed448')), false);
  assert.equal(verify(p256, data, p256.sign(data, 'ecdsa-sha2-nistp384')), false);
});

test('one changed byte of a blob or signature anywhere verifies nothing, and never throws', () => {
  const data = randomBytes(32);
  const signatures = hosts.map((host) => host.sign(data));
  fc.assert(
    fc.property(
      fc.record({
        index: fc.nat({ max: hosts.length - 1 }),
        isKey: fc.boolean(),
        at: fc.nat(),
        change: fc.integer({ min: 1, max: 255 }),
      }),
      ({ index, isKey, at, change }) => {
        const [host, signature] = [hosts[index], signatures[index]];
        if (host === undefined || signature === undefined) return;
        const hostKey = Buffer.from(host.blob);
        const changed = Buffer.from(signature);
        const target = isKey ? hostKey : changed;
        target[at % target.length] = (target[at % target.length] ?? 0) ^ change;
        assert.equal(verifyHostSignature({ hostKey, data, signature: changed }), false);
      },
    ),
    { numRuns: 400 },
  );
});

test('any bytes as key and signature are refused, not thrown', () => {
  const some = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  const types = fc.constantFrom('ssh-ed25519', 'ssh-rsa', 'ecdsa-sha2-nistp256', 'ssh-dss', '');
  fc.assert(
    fc.property(types, some, fc.tuple(some, some), (type, rest, [data, signature]) => {
      const hostKey = Buffer.concat([formatString(type), rest]);
      assert.equal(verifyHostSignature({ hostKey, data, signature }), false);
    }),
  );
});

test('H1: numbers in another than their shortest form are refused', () => {
  const data = randomBytes(32);
  const zeros = Buffer.alloc(3);
  const numbers = join(Buffer.concat([zeros, Buffer.from([1])]), Buffer.from([1]));
  assert.equal(verify(p256, data, join('ecdsa-sha2-nistp256', numbers)), false);
  const long = join('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(4_000, 0x55));
  assert.equal(verifyHostSignature({ hostKey: long, data, signature: rsa.sign(data) }), false);
});
