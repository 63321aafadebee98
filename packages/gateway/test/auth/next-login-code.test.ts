/*
 * Every state of a login code with every event, before its end and after it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  claimMs,
  collectMs,
  confirmMs,
  type LoginCode,
  type LoginCodeEvent,
  nextLoginCode,
} from '../../src/auth/next-login-code.ts';

const [madeMs, atMs] = [1_000, 2_000];
const expiresAtMs = madeMs + claimMs;
const claimant = { hash: 'phone', device: 'Safari on iPhone', ip: '203.0.113.7' };
const other = { ...claimant, hash: 'thief' };

const codes: Readonly<Record<string, LoginCode>> = {
  open: { state: 'open', expiresAtMs },
  claimed: { state: 'claimed', claimant, expiresAtMs },
  confirmed: { state: 'confirmed', claimant, expiresAtMs },
  used: { state: 'used', claimant, deviceId: 'first', expiresAtMs },
  refused: { state: 'refused', claimant, expiresAtMs },
};

const events: Readonly<Record<string, LoginCodeEvent>> = {
  claimed: { kind: 'claimed', claimant, atMs },
  'claimed by another': { kind: 'claimed', claimant: other, atMs },
  confirmed: { kind: 'confirmed', atMs },
  refused: { kind: 'refused', atMs },
  collected: { kind: 'collected', claimHash: 'phone', deviceId: 'made', atMs },
  'collected by another': { kind: 'collected', claimHash: 'thief', deviceId: 'made', atMs },
};

/* `same`: it was so already. What is not here does not count. */
const follows: Readonly<Record<string, LoginCode | 'same'>> = {
  'open, claimed': { state: 'claimed', claimant, expiresAtMs: atMs + confirmMs },
  'open, claimed by another': { state: 'claimed', claimant: other, expiresAtMs: atMs + confirmMs },
  'open, refused': { state: 'refused', claimant: undefined, expiresAtMs },
  'claimed, claimed': 'same',
  'claimed, confirmed': { state: 'confirmed', claimant, expiresAtMs: atMs + collectMs },
  'claimed, refused': { state: 'refused', claimant, expiresAtMs },
  'confirmed, claimed': 'same',
  'confirmed, confirmed': 'same',
  'confirmed, refused': { state: 'refused', claimant, expiresAtMs },
  'confirmed, collected': { state: 'used', claimant, deviceId: 'made', expiresAtMs },
  'used, claimed': 'same',
  'used, collected': { state: 'used', claimant, deviceId: 'made', expiresAtMs },
  'refused, refused': 'same',
};

test('every event in every state does what is written down, and nothing else', () => {
  for (const [state, code] of Object.entries(codes)) {
    for (const [name, event] of Object.entries(events)) {
      const expected = follows[`${state}, ${name}`];
      const next = nextLoginCode(code, event);
      assert.deepEqual(next, expected === 'same' ? code : expected, `${state}, ${name}`);
      if (expected === 'same') assert.equal(next, code);
    }
  }
});

test('after its end nothing counts, at its last moment it does', () => {
  for (const code of Object.values(codes)) {
    for (const event of Object.values(events)) {
      assert.equal(nextLoginCode(code, { ...event, atMs: expiresAtMs }), undefined);
    }
  }
  const last = { ...events['claimed'], atMs: expiresAtMs - 1 } as LoginCodeEvent;
  assert.equal(nextLoginCode({ state: 'open', expiresAtMs }, last)?.state, 'claimed');
});

test('whatever happens, a code is used by the one who claimed it first, after a confirmation', () => {
  const names = Object.keys(events);
  const walk = (code: LoginCode, said: readonly string[]): void => {
    if (code.state === 'used') {
      const first = said.find((name) => name.startsWith('claimed')) ?? '';
      const hash = first === 'claimed' ? 'phone' : 'thief';
      assert.equal(code.claimant.hash, hash, said.join(', '));
      assert.ok(said.includes('confirmed') && !said.includes('refused'), said.join(', '));
    }
    if (said.length === 5) return;
    for (const name of names) {
      const next = nextLoginCode(code, events[name] as LoginCodeEvent);
      walk(next ?? code, next === undefined ? [...said, `(${name})`] : [...said, name]);
    }
  };
  walk({ state: 'open', expiresAtMs }, []);
});
