/*
 * Retention: what goes, what stays, and the reason for each.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '@clawdfather/testkit';
import { planRetention } from '../../src/retention/plan-retention.ts';
import type { RetainedRun, RetentionPolicy } from '../../src/retention/plan-retention.ts';
import { runIdOf } from '../records.ts';

const nowMs = 1_000_000;
const generous = { ageMs: 1e9, runsMax: 1_000, bytesMax: 1e12 };

function finished(id: string, parts: Partial<RetainedRun> = {}): RetainedRun {
  return {
    runId: runIdOf(id),
    state: 'exited',
    isTreeGone: true,
    isUnverifiable: false,
    isRemoved: false,
    endedAtMs: nowMs - 1_000,
    account: '',
    journalBytes: 100,
    ...parts,
  };
}

const removedBy = (runs: readonly RetainedRun[], policy: Partial<RetentionPolicy>) =>
  planRetention(runs, nowMs, { ...generous, ...policy })
    .decisions.filter(({ decision }) => decision === 'remove')
    .map(({ runId, why }) => `${runId}: ${why}`);

test('within the policy everything stays', () => {
  assert.deepEqual(removedBy([finished('a'), finished('b')], {}), []);
});

test('the old go', () => {
  const runs = [finished('new'), finished('old', { endedAtMs: nowMs - 5_001 })];
  assert.deepEqual(removedBy(runs, { ageMs: 5_000 }), ['old: it is older than the policy keeps']);
});

test('beyond the count the oldest go, oldest first', () => {
  const runs = [1, 2, 3, 4].map((age) => finished(`r${age}`, { endedAtMs: nowMs - age }));
  assert.deepEqual(removedBy(runs, { runsMax: 2 }), [
    'r4: newer runs fill the count',
    'r3: newer runs fill the count',
  ]);
});

test('beyond the bytes the oldest go, and a small old one may still fit', () => {
  const runs = [
    finished('new', { endedAtMs: nowMs - 1, journalBytes: 60 }),
    finished('large', { endedAtMs: nowMs - 2, journalBytes: 60 }),
    finished('small', { endedAtMs: nowMs - 3, journalBytes: 30 }),
  ];
  assert.deepEqual(removedBy(runs, { bytesMax: 100 }), ['large: newer runs fill the space']);
});

test('each account has its own count and bytes, so nobody’s runs push out another’s', () => {
  const runs = [
    finished('new', { endedAtMs: nowMs - 1, account: 'member', journalBytes: 90 }),
    finished('next', { endedAtMs: nowMs - 2, account: 'member', journalBytes: 20 }),
    finished('owner', { endedAtMs: nowMs - 3, account: 'owner', journalBytes: 90 }),
    finished('nobody', { endedAtMs: nowMs - 4, journalBytes: 90 }),
  ];
  assert.deepEqual(removedBy(runs, { bytesMax: 100 }), ['next: newer runs fill the space']);
  assert.deepEqual(removedBy(runs, { runsMax: 1 }), ['next: newer runs fill the count']);
});

test('beyond the bound of its account the oldest of it go; living runs count and stay', () => {
  const live = { state: 'live', isTreeGone: false, endedAtMs: undefined } as const;
  const runs = [
    finished('living', { ...live, account: 'member', journalBytes: 50 }),
    finished('left', { isTreeGone: false, account: 'member', journalBytes: 10 }),
    finished('new', { endedAtMs: nowMs - 1, account: 'member', journalBytes: 30 }),
    finished('old', { endedAtMs: nowMs - 2, account: 'member', journalBytes: 30 }),
    finished('owner', { endedAtMs: nowMs - 3, account: 'owner', journalBytes: 500 }),
  ];
  const accountBytesMax = (account: string) => (account === 'member' ? 100 : undefined);
  assert.deepEqual(removedBy(runs, { accountBytesMax }), [
    'old: newer runs fill the space of its account',
  ]);
});

test('what a person removed goes at once', () => {
  assert.deepEqual(removedBy([finished('a', { isRemoved: true })], {}), [
    'a: it was removed by hand',
  ]);
});

test('nothing live, unverifiable or with a living tree ever goes, and survivors are listed', () => {
  const old = { endedAtMs: 0, isRemoved: true };
  const runs = [
    finished('live', { ...old, state: 'live', isTreeGone: false }),
    finished('unknown', { ...old, isUnverifiable: true }),
    finished('kept', { ...old, isTreeGone: false }),
  ];
  const plan = planRetention(runs, nowMs, { ageMs: 0, runsMax: 0, bytesMax: 0 });
  assert.deepEqual(
    plan.decisions.map(({ runId, decision, why }) => [runId, decision, why]),
    [
      ['live', 'keep', 'it is live'],
      ['unknown', 'keep', 'it cannot be verified'],
      ['kept', 'keep', 'something of it still lives'],
    ],
  );
  assert.deepEqual(plan.survivors, ['kept']);
  assert.deepEqual(plan.removed, { runs: 0, bytes: 0 });
});

test('each decision carries its evidence', () => {
  const [decision] = planRetention([finished('a')], nowMs, generous).decisions;
  assert.deepEqual(decision?.evidence, {
    state: 'exited',
    isTreeGone: true,
    journalBytes: 100,
    ageMs: 1_000,
  });
});

test('any set of runs: one decision each, limits kept, the untouchable untouched (seeded)', () => {
  const random = createSeededRandom(21);
  for (let round = 0; round < 200; round += 1) {
    const runs = Array.from({ length: 30 }, (_, index) => {
      const [flags = 0, age = 0, size = 0] = random.bytes(3);
      return finished(`r${index}`, {
        state: flags % 5 === 0 ? 'live' : 'exited',
        isTreeGone: flags % 7 !== 0,
        isUnverifiable: flags % 11 === 0,
        isRemoved: flags % 13 === 0,
        endedAtMs: nowMs - age,
        journalBytes: size,
      });
    });
    const policy = { ageMs: 200, runsMax: 10, bytesMax: 1_000 };
    const plan = planRetention(runs, nowMs, policy);
    assert.deepEqual(
      plan.decisions.map(({ runId }) => runId).sort(),
      runs.map(({ runId }) => runId).sort(),
    );
    const isKept = (run: RetainedRun) =>
      plan.decisions.some(({ runId, decision }) => runId === run.runId && decision === 'keep');
    const isTouchable = (run: RetainedRun) =>
      run.state === 'exited' && run.isTreeGone && !run.isUnverifiable;
    assert.ok(runs.filter((run) => !isTouchable(run)).every(isKept));
    const kept = runs.filter((run) => isTouchable(run) && isKept(run));
    assert.ok(kept.length <= policy.runsMax);
    assert.ok(kept.reduce((sum, run) => sum + run.journalBytes, 0) <= policy.bytesMax);
    assert.ok(kept.every((run) => !run.isRemoved && nowMs - (run.endedAtMs ?? 0) <= policy.ageMs));
  }
});
