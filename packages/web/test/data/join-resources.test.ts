/*
 * Two lists that a screen shows as one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';
import { joinResources } from '../../src/data/join-resources.ts';
import type { Problem } from '../../src/data/problem.ts';

function createPart<Value>(known?: Value, knownAtMs?: number) {
  return {
    value: signal(known),
    asOfMs: signal(knownAtMs),
    problem: signal<Problem | undefined>(undefined),
    isKept: signal(false),
    refresh: async () => {},
  };
}

test('two resources are known when both are, and as old as the older one', () => {
  const one = createPart('living', 2_000);
  const other = createPart<string>();
  const both = joinResources(one, other);
  assert.equal(both.value.value, undefined);
  assert.equal(both.asOfMs.value, undefined);
  other.value.value = 'ended';
  other.asOfMs.value = 1_000;
  assert.deepEqual(both.value.value, ['living', 'ended']);
  assert.equal(both.asOfMs.value, 1_000);
});

test('what is wrong with either of two resources is wrong with both', () => {
  const [one, other] = [createPart('living', 1), createPart('ended', 1)];
  const both = joinResources(one, other);
  assert.equal(both.problem.value, undefined);
  const problem = { kind: 'unreachable', message: 'away' } as unknown as Problem;
  other.problem.value = problem;
  assert.equal(both.problem.value, problem);
});
