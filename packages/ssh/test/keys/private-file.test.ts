/*
 * The private file read back: the key signs what OpenSSH verifies, and what is no such file is no key.
 */
import assert from 'node:assert/strict';
import { createPublicKey, sign, verify } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSystemRandom } from '@clawdfather/kit';
import { createOpensshKey } from '../../src/keys/openssh-key.ts';
import { parsePrivateFile } from '../../src/keys/private-file.ts';

const random = createSystemRandom();

test('the key of a file is the private half of its public line, whatever the comment', async () => {
  for (const comment of ['', 'a', 'clawdfather-laptop', 'x'.repeat(200)]) {
    const { privateFile, publicKey } = await createOpensshKey(random, comment);
    const parsed = parsePrivateFile(privateFile);
    assert.ok(parsed !== undefined);
    assert.equal(parsed.publicBlob.toString('base64'), publicKey.split(' ')[1]);
    const data = Buffer.from('data');
    const x = parsed.publicBlob.subarray(-32).toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    assert.equal(verify(null, data, key, sign(null, data, parsed.key)), true);
  }
});

test('a file that is cut anywhere is no key, and no bytes throw', async () => {
  const { privateFile } = await createOpensshKey(random, 'c');
  const end = privateFile.indexOf('-----END');
  // Whole but for its padding, and a cut inside of the last group of base64 changes no byte of a key.
  for (let length = 0; length < end - 16; length += 1) {
    assert.equal(
      parsePrivateFile(Buffer.concat([privateFile.subarray(0, length), Buffer.from('\n-----END')])),
      undefined,
    );
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const file = Buffer.concat([Buffer.from('x\n'), bytes, Buffer.from('-----END')]);
      assert.equal(parsePrivateFile(file), undefined);
    }),
  );
});
