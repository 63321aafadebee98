/*
 * The keys of a connection during a rotation: the way in is never lost by a rotation, and never kept longer than needed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type ConnectionKeys,
  type ConnectionKeysEvent,
  connectionKeysOf,
  keysToOffer,
  nextConnectionKeys as next,
} from '../../src/keys/next-connection-keys.ts';

const settled = (keypairId: string): ConnectionKeys => ({ kind: 'settled', keypairId });
const changing = (keypairId: string, nextKeypairId: string): ConnectionKeys => ({
  kind: 'changing',
  keypairId,
  nextKeypairId,
});

test('a rotation offers the new key first and keeps the old one until the new one is proven', () => {
  const during = next(settled('a'), { type: 'rotated', from: 'a', to: 'b' });
  assert.deepEqual(during, changing('a', 'b'));
  assert.deepEqual(keysToOffer(during), ['b', 'a']);
  assert.deepEqual(connectionKeysOf({ keypairId: 'a', nextKeypairId: 'b' }), during);
  assert.deepEqual(connectionKeysOf({ keypairId: 'a', nextKeypairId: undefined }), settled('a'));
  assert.deepEqual(next(during, { type: 'proven', keypairId: 'a' }), during);
  const after = next(during, { type: 'proven', keypairId: 'b' });
  assert.deepEqual(after, settled('b'));
  assert.deepEqual(keysToOffer(after), ['b']);
});

test('a second rotation before the proof replaces the new key, not the old one', () => {
  const keys = next(changing('a', 'b'), { type: 'rotated', from: 'b', to: 'c' });
  assert.deepEqual(keys, changing('a', 'c'));
  assert.deepEqual(next(keys, { type: 'proven', keypairId: 'b' }), keys);
});

test('a revoked key leaves the other one', () => {
  assert.deepEqual(next(changing('a', 'b'), { type: 'revoked', keypairId: 'a' }), settled('b'));
  assert.deepEqual(next(changing('a', 'b'), { type: 'revoked', keypairId: 'b' }), settled('a'));
  assert.deepEqual(next(settled('a'), { type: 'revoked', keypairId: 'a' }), settled('a'));
});

test('a person’s choice ends the change; the same key again is none', () => {
  assert.deepEqual(next(changing('a', 'b'), { type: 'chosen', keypairId: 'c' }), settled('c'));
  assert.deepEqual(next(changing('a', 'b'), { type: 'chosen', keypairId: 'b' }), settled('b'));
  assert.deepEqual(
    next(changing('a', 'b'), { type: 'chosen', keypairId: 'a' }),
    changing('a', 'b'),
  );
});

test('whatever happens: no rotation and no other connection’s proof takes the key that last let us in', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const event: fc.Arbitrary<ConnectionKeysEvent> = fc.oneof(
    fc.record({ type: fc.constant('rotated' as const), from: id, to: id }),
    fc.record({ type: fc.constant('proven' as const), keypairId: id }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (events) => {
      let keys = settled('a');
      let wayIn = 'a';
      for (const each of events) {
        // A host lets in only with a key that was offered.
        if (each.type === 'proven' && !keysToOffer(keys).includes(each.keypairId)) continue;
        if (each.type === 'proven') wayIn = each.keypairId;
        keys = next(keys, each);
        assert.ok(keysToOffer(keys).includes(wayIn));
        assert.ok(keysToOffer(keys).length <= 2);
      }
    }),
  );
});
