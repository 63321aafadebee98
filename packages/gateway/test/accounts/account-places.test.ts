/*
 * Places of an account: so many, three quarters of them for tokens, and free again when they are left.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAccountId } from '@clawdfather/store';
import { createAccountPlaces } from '../../src/accounts/account-places.ts';

const accountId = parseAccountId('a'.repeat(16));
const person = { accountId, kind: 'device' } as const;
const token = { accountId, kind: 'token' } as const;

test('tokens get three quarters, a person gets the rest, another account has its own', () => {
  const places = createAccountPlaces({ what: 'sockets', placesMax: 4 });
  const leave = [places.take(token), places.take(token), places.take(token)];
  assert.throws(() => places.take(token), {
    code: 'rate_limited',
    message: '3 sockets of tokens of this account are open already',
    detail: { reached: 3 },
  });
  const leavePerson = places.take(person);
  assert.throws(() => places.take(person), { code: 'rate_limited', detail: { reached: 4 } });
  places.take({ ...person, accountId: parseAccountId('b'.repeat(16)) });
  leave[0]?.();
  leave[0]?.();
  places.take(token);
  assert.throws(() => places.take(person), { code: 'rate_limited' }, 'leaving twice is once');
  leavePerson();
  places.take(person);
});

test('of a single place a token gets it too', () => {
  const places = createAccountPlaces({ what: 'streams', placesMax: 1 });
  places.take(token)();
  places.take(person);
});
