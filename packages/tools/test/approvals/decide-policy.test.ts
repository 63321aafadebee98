/*
 * Policy, every case there is: 3 × 3 settings, 4 × 4 wishes of the caller, on the allowlist or not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, askLevels, type Security, securityLevels } from '@clawdfather/protocol';
import {
  agentPolicy,
  decidePolicy,
  personPolicy,
  type PolicyAnswer,
} from '../../src/approvals/decide-policy.ts';

/* security, ask → what happens on the allowlist, and beside it. */
const table: readonly (readonly [Security, Ask, PolicyAnswer, PolicyAnswer])[] = [
  ['full', 'off', 'allow', 'allow'],
  ['full', 'on-miss', 'allow', 'allow'],
  ['full', 'always', 'ask', 'ask'],
  ['allowlist', 'off', 'allow', 'deny'],
  ['allowlist', 'on-miss', 'allow', 'ask'],
  ['allowlist', 'always', 'ask', 'ask'],
  ['deny', 'off', 'deny', 'deny'],
  ['deny', 'on-miss', 'deny', 'deny'],
  ['deny', 'always', 'deny', 'deny'],
];

test('the table is whole', () =>
  assert.equal(table.length, securityLevels.length * askLevels.length));

for (const [security, ask, listed, missed] of table) {
  test(`${security}, ${ask}: ${listed} on the allowlist, ${missed} beside it`, () => {
    assert.equal(decidePolicy({ security, ask }, {}, true), listed);
    assert.equal(decidePolicy({ security, ask }, {}, false), missed);
  });
}

const strictness: readonly PolicyAnswer[] = ['allow', 'ask', 'deny'];
const wishes = [undefined, ...securityLevels].flatMap((security) =>
  [undefined, ...askLevels].map((ask) => ({ security, ask })),
);

test('PO1: whatever a caller wishes, the answer is never laxer than without it', () => {
  for (const [security, ask] of table) {
    for (const isListed of [true, false]) {
      const without = strictness.indexOf(decidePolicy({ security, ask }, {}, isListed));
      for (const wish of wishes) {
        const answer = decidePolicy({ security, ask }, wish, isListed);
        assert.ok(strictness.indexOf(answer) >= without, JSON.stringify({ security, ask, wish }));
      }
    }
  }
});

test('a wish that is stricter than the policy is granted', () => {
  assert.equal(decidePolicy(personPolicy, { security: 'deny' }, true), 'deny');
  assert.equal(decidePolicy(personPolicy, { security: 'allowlist' }, false), 'deny');
  assert.equal(decidePolicy(personPolicy, { security: 'allowlist', ask: 'on-miss' }, false), 'ask');
  assert.equal(decidePolicy(personPolicy, { ask: 'always' }, true), 'ask');
  assert.equal(decidePolicy(agentPolicy, { ask: 'always' }, true), 'ask');
});

test('PO2: a caller that wishes off is denied what it would be asked about', () => {
  assert.equal(decidePolicy(agentPolicy, { ask: 'off' }, false), 'deny');
  assert.equal(decidePolicy(agentPolicy, { ask: 'off' }, true), 'allow');
  assert.equal(decidePolicy({ security: 'full', ask: 'always' }, { ask: 'off' }, true), 'deny');
  for (const [security, ask] of table) {
    for (const isListed of [true, false]) {
      assert.notEqual(decidePolicy({ security, ask }, { ask: 'off' }, isListed), 'ask');
    }
  }
});

test('PO2: where the policy asks nobody, a caller that wishes to be asked is denied', () => {
  const policy = { security: 'allowlist', ask: 'off' } as const;
  for (const ask of ['on-miss', 'always'] as const) {
    assert.equal(decidePolicy(policy, { ask }, false), 'deny');
  }
  assert.equal(decidePolicy(policy, { ask: 'always' }, true), 'deny');
  assert.equal(decidePolicy(policy, { ask: 'on-miss' }, true), 'allow');
});

test('the defaults are those of docs/approvals.md', () => {
  assert.deepEqual(personPolicy, { security: 'full', ask: 'off' });
  assert.deepEqual(agentPolicy, { security: 'allowlist', ask: 'on-miss' });
});
