/*
 * Which sessions a session may know of: the whole table, and what holds for every row (VI1 to VI3).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type A2aPolicy,
  canSeeSessionRow,
  clampVisibility,
  type Visibility,
  type VisibleRow,
  visibilities,
} from '../../src/visibility/can-see-session-row.ts';

const requester = { requesterSessionKey: 'me', requesterAgentId: 'red' };
const off: A2aPolicy = { isEnabled: false, allow: [['red', 'blue']] };
const on: A2aPolicy = { isEnabled: true, allow: [['red', 'blue']] };

const rows = {
  itself: { sessionKey: 'me', agentId: 'red', ownerSessionKey: 'me' },
  sameAgent: { sessionKey: 'a', agentId: 'red', ownerSessionKey: 'a' },
  otherAgent: { sessionKey: 'b', agentId: 'blue', ownerSessionKey: 'b' },
  otherAgentNotAllowed: { sessionKey: 'c', agentId: 'green', ownerSessionKey: 'c' },
  spawnedSameAgent: below('d', 'red', ['me']),
  spawnedOtherAgent: below('e', 'green', ['me']),
  spawnedFarBelow: below('f', 'green', ['me', 'd', 'x', 'y']),
  ownParent: { sessionKey: 'parent', agentId: 'green', ownerSessionKey: 'parent' },
  sibling: below('g', 'green', ['parent']),
  ownerless: { sessionKey: 'h', agentId: 'green' },
  ownerlessSameAgent: { sessionKey: 'i', agentId: 'red' },
} as const satisfies Record<string, VisibleRow>;

function below(sessionKey: string, agentId: string, ancestors: readonly string[]): VisibleRow {
  const parentSessionKey = ancestors.at(-1);
  return {
    sessionKey,
    agentId,
    ownerSessionKey: parentSessionKey,
    spawnedBy: parentSessionKey,
    parentSessionKey,
    ancestors,
  };
}

type RowName = keyof typeof rows;
const tree: readonly RowName[] = [
  'itself',
  'spawnedSameAgent',
  'spawnedOtherAgent',
  'spawnedFarBelow',
];
const agent: readonly RowName[] = [...tree, 'sameAgent', 'ownerlessSameAgent'];

const table: readonly {
  readonly visibility: Visibility;
  readonly isSandboxed: boolean;
  readonly a2aPolicy: A2aPolicy;
  readonly sees: readonly RowName[];
}[] = [false, true].flatMap((isSandboxed) =>
  [off, on].flatMap((a2aPolicy) => [
    { visibility: 'self', isSandboxed, a2aPolicy, sees: ['itself'] },
    { visibility: 'tree', isSandboxed, a2aPolicy, sees: tree },
    { visibility: 'agent', isSandboxed, a2aPolicy, sees: isSandboxed ? tree : agent },
    {
      visibility: 'all',
      isSandboxed,
      a2aPolicy,
      sees: isSandboxed ? tree : a2aPolicy.isEnabled ? [...agent, 'otherAgent'] : agent,
    },
  ]),
);

describe('each setting shows exactly what it says', () => {
  for (const { visibility, isSandboxed, a2aPolicy, sees } of table) {
    const name = `${visibility}, a2a ${a2aPolicy.isEnabled ? 'on' : 'off'}${isSandboxed ? ', sandboxed' : ''}`;
    test(name, () => {
      const effective = clampVisibility(visibility, isSandboxed);
      const seen = (Object.keys(rows) as RowName[]).filter((one) =>
        canSeeSessionRow({ row: rows[one], ...requester, visibility: effective, a2aPolicy }),
      );
      assert.deepEqual(seen.toSorted(), [...sees].toSorted());
    });
  }
});

const key = fc.constantFrom('me', 'a', 'b', 'c', 'd');
const agentId = fc.constantFrom('red', 'blue', 'green');
const maybe = fc.option(key, { nil: undefined });
const anyRow: fc.Arbitrary<VisibleRow> = fc.record({
  sessionKey: key,
  agentId,
  ownerSessionKey: maybe,
  spawnedBy: maybe,
  parentSessionKey: maybe,
  ancestors: fc.option(fc.array(key, { maxLength: 16 }), { nil: undefined }),
});
const anyPolicy: fc.Arbitrary<A2aPolicy> = fc.record({
  isEnabled: fc.boolean(),
  allow: fc.array(
    fc.tuple(fc.oneof(agentId, fc.constant('*')), fc.oneof(agentId, fc.constant('*'))),
  ),
});
const anyQuestion = fc.record({
  row: anyRow,
  requesterSessionKey: key,
  requesterAgentId: agentId,
  a2aPolicy: anyPolicy,
});

test('VI1 for all rows: self ⊆ tree ⊆ agent ⊆ all', () => {
  fc.assert(
    fc.property(anyQuestion, (question) => {
      const seen = visibilities.map((visibility) => canSeeSessionRow({ ...question, visibility }));
      for (const [index, isSeen] of seen.entries()) {
        assert.ok(!(seen[index - 1] ?? false) || isSeen, String(visibilities[index]));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('VI1 what a session has spawned is seen at any depth by whoever sees its tree', () => {
  const chain = fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 16 });
  fc.assert(
    fc.property(fc.tuple(chain, chain), agentId, anyPolicy, ([above, between], of, a2aPolicy) => {
      const row = below('new', of, [...above, 'me', ...between]);
      for (const visibility of ['tree', 'agent', 'all'] as const) {
        assert.ok(canSeeSessionRow({ row, ...requester, visibility, a2aPolicy }));
      }
      assert.ok(!canSeeSessionRow({ row, ...requester, visibility: 'self', a2aPolicy }));
    }),
  );
});

test('VI2 a row that names nobody above it is seen by no tree', () => {
  fc.assert(
    fc.property(fc.string(), agentId, anyPolicy, (sessionKey, of, a2aPolicy) => {
      // A key that looks as if it were of somebody is of nobody.
      const row = { sessionKey: `me:${sessionKey}`, agentId: of };
      assert.ok(!canSeeSessionRow({ row, ...requester, visibility: 'tree', a2aPolicy }));
    }),
  );
});

test('VI3 a sandbox never widens, and self stays self', () => {
  fc.assert(
    fc.property(anyQuestion, fc.constantFrom(...visibilities), (question, visibility) => {
      const clamped = clampVisibility(visibility, true);
      const isSeen = canSeeSessionRow({ ...question, visibility: clamped });
      assert.ok(!isSeen || canSeeSessionRow({ ...question, visibility }));
      assert.ok(!isSeen || canSeeSessionRow({ ...question, visibility: 'tree' }));
      assert.equal(clampVisibility('self', true), 'self');
    }),
  );
});

test('to talk to other agents takes a pair in this direction, and that it is switched on', () => {
  const row = { sessionKey: 'b', agentId: 'blue', ownerSessionKey: 'b' };
  const sees = (allow: A2aPolicy['allow'], isEnabled = true): boolean =>
    canSeeSessionRow({ row, ...requester, visibility: 'all', a2aPolicy: { isEnabled, allow } });
  assert.ok(sees([['red', 'blue']]));
  assert.ok(sees([['*', 'blue']]));
  assert.ok(sees([['red', '*']]));
  assert.ok(!sees([['blue', 'red']]));
  assert.ok(!sees([['red', 'green']]));
  assert.ok(!sees([]));
  assert.ok(!sees([['*', '*']], false));
});
