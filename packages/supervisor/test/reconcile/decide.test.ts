/*
 * Reconciliation, rule by rule, and over all combinations of
 * evidence: uncertainty never kills (O2, O5, O6, T6, T9, E1).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalReading } from '../../src/reconcile/decide.ts';
import { evidenceOf, livingRoot, livingShim } from '../fake-host.ts';
import type { FakeHost } from '../fake-host.ts';
import { bootA, bootB, exitOf, namespaceB, recordOf } from '../records.ts';
import { type Case, decide, inputOf, isActing, leaseEndsAtMs } from './decide-rig.ts';

const alive = { ...livingShim, ...livingRoot };
const expired = { bootMs: leaseEndsAtMs };
const settled: JournalReading = { kind: 'settled', exit: exitOf(), isTreeGone: true };

interface Row {
  readonly name: string;
  readonly given: Case;
  readonly expected: Readonly<Record<string, unknown>>;
}

const rows: readonly Row[] = [
  {
    name: 'ours and in hand: continue',
    given: {
      host: { processes: alive },
      record: { ownerGeneration: 2 },
      input: { isSupervised: true },
    },
    expected: { type: 'continue' },
  },
  {
    name: 'ours since the start, not in hand yet: adopt without taking again',
    given: { host: { processes: alive }, record: { ownerGeneration: 2 } },
    expected: { type: 'adopt', isTaking: false },
  },
  {
    name: 'O2: predecessor dead, lease not over: adopt at once',
    given: { host: { processes: alive } },
    expected: { type: 'adopt', isTaking: true },
  },
  {
    name: 'lease expired, owner unknown: steal, then adopt',
    given: { host: { processes: alive }, owner: 'unverifiable', ...expired },
    expected: { type: 'adopt', isTaking: true },
  },
  {
    name: 'T9: lease expired and the policy is kill: steal, then end it',
    given: {
      host: { processes: alive },
      record: { ownerLoss: 'kill' },
      owner: 'alive',
      ...expired,
    },
    expected: { type: 'terminate', isTaking: true },
  },
  {
    name: 'T9: a restart within the lease is no loss: kill is not triggered',
    given: { host: { processes: alive }, record: { ownerLoss: 'kill' } },
    expected: { type: 'adopt', isTaking: true },
  },
  {
    name: 'T9: an owner that let go was not lost',
    given: {
      host: { processes: alive },
      record: { ownerLoss: 'kill' },
      lease: { isReleased: true },
      ...expired,
    },
    expected: { type: 'adopt', isTaking: true },
  },
  {
    name: 'T9: taken at the start from an expired owner, policy kill: end it',
    given: {
      host: { processes: alive },
      record: { ownerLoss: 'kill', ownerGeneration: 2 },
      input: { takenFrom: 'expired' },
    },
    expected: { type: 'terminate', isTaking: false },
  },
  {
    name: 'healthy owner: untouched',
    given: { host: { processes: alive }, owner: 'alive' },
    expected: { type: 'leave', as: 'foreign-healthy' },
  },
  {
    name: 'healthy owner whose run has ended: still its own to record',
    given: { journal: settled, owner: 'alive' },
    expected: { type: 'leave', as: 'foreign-healthy' },
  },
  {
    name: 'owner cannot be verified, lease not over: untouched',
    given: { host: { processes: alive }, owner: 'unverifiable' },
    expected: { type: 'leave', as: 'foreign-healthy' },
  },
  {
    name: 'the journal has the end: the true record, whatever /proc says',
    given: { host: { processes: alive }, journal: settled },
    expected: { type: 'finalise', isTaking: true, exit: exitOf(), isTreeGone: true },
  },
  {
    name: 'nothing lives and the journal is open: stale',
    given: {},
    expected: { type: 'stale', reason: 'reconciled-stale' },
  },
  {
    name: 'the host has booted since: stale, as that',
    given: { host: { bootId: bootB, processes: alive }, bootMs: 10 },
    expected: { type: 'stale', reason: 'host-rebooted' },
  },
  {
    name: 'the host has booted since, but the journal has the end',
    given: { host: { bootId: bootB }, journal: settled },
    expected: { type: 'finalise' },
  },
  {
    name: 'E1: its container was replaced and nobody listens: stale, as that',
    given: { host: { pidNamespace: namespaceB, socket: 'refused' }, ...expired },
    expected: { type: 'stale', reason: 'container-restarted' },
  },
  {
    name: 'another container, and nothing proves that it is gone: untouched',
    given: { host: { pidNamespace: namespaceB, socket: 'unreachable' }, ...expired },
    expected: { type: 'leave', as: 'unverifiable' },
  },
  {
    name: 'another container that shares the directory, and its shim answers: adopt',
    given: { host: { pidNamespace: namespaceB, socket: 'greeted' }, ...expired },
    expected: { type: 'adopt', isTaking: true },
  },
  {
    name: 'T6: a dead shim over a living root: end the tree',
    given: { host: { processes: livingRoot } },
    expected: { type: 'sweep', isTaking: true },
  },
  {
    name: 'a dead shim over a root that cannot be read: untouched',
    given: { host: { processes: { 500: 'unreadable' } } },
    expected: { type: 'leave', as: 'unverifiable' },
  },
  {
    name: 'the journal cannot be read and nothing lives: untouched, the exit may be in there',
    given: { journal: { kind: 'unreadable', why: 'EACCES' } },
    expected: { type: 'leave', as: 'unverifiable' },
  },
  {
    name: 'S1: an intent that nobody claimed is voided',
    given: {
      record: { state: 'starting', pid: undefined, shimPid: undefined },
      journal: { kind: 'unclaimed' },
    },
    expected: { type: 'void', isTaking: true },
  },
  {
    name: 'its journal was deleted after it had started, and nothing of it lives: stale, and not a void intent',
    given: { journal: { kind: 'unclaimed' } },
    expected: { type: 'stale', isTaking: true, reason: 'reconciled-stale' },
  },
  {
    name: 'S1: an intent of ours that is being started is left to its spawn',
    given: {
      record: { state: 'starting', pid: undefined, shimPid: undefined, ownerGeneration: 2 },
      journal: { kind: 'unclaimed' },
      input: { isSupervised: true },
    },
    expected: { type: 'continue' },
  },
  {
    name: 'S1: a voided intent whose record was not finished',
    given: {
      record: { state: 'starting', pid: undefined, shimPid: undefined },
      journal: { kind: 'absent' },
    },
    expected: { type: 'void', isTaking: true },
  },
  {
    name: 'claimed, never recorded as started, and its shim answers: adopt',
    given: {
      host: { socket: 'greeted' },
      record: { state: 'starting', pid: undefined, shimPid: undefined },
    },
    expected: { type: 'adopt', isTaking: true },
  },
  {
    name: 'claimed, never recorded as started, and nobody listens: stale',
    given: {
      host: { socket: 'refused' },
      record: { state: 'starting', pid: undefined, shimPid: undefined },
    },
    expected: { type: 'stale', reason: 'reconciled-stale' },
  },
  {
    name: 'claimed, never recorded as started, and nothing to go by: untouched',
    given: {
      host: { socket: 'absent' },
      record: { state: 'starting', pid: undefined, shimPid: undefined },
    },
    expected: { type: 'leave', as: 'unverifiable' },
  },
  {
    name: 'O6: a copied directory: untouched, even when everything is dead',
    given: { input: { self: { instanceId: 'instance-b', generation: 2, bootId: bootA } } },
    expected: { type: 'leave', as: 'unverifiable' },
  },
  {
    name: 'a forgotten owner had let go',
    given: { host: { processes: alive }, lease: 'forgotten' },
    expected: { type: 'adopt', isTaking: true },
  },
];

for (const { name, given, expected } of rows) {
  test(name, () => {
    const decision = decide(given);
    assert.deepEqual({ ...decision, ...expected }, decision);
    assert.notEqual(decision.why, '');
  });
}

const exitedRecord = (leftovers: readonly { pid: number; startTicks: number; comm: string }[]) => ({
  state: 'exited' as const,
  exit: exitOf({ leftovers }),
});
const agent = { pid: 700, startTicks: 77, comm: 'ssh-agent' };

test('T4: kept leftovers with a living shim are adopted, and nobody else’s end', () => {
  const host = { processes: { ...livingShim, 700: { startTicks: 77 } } };
  const decision = decide({ host, record: exitedRecord([agent]) });
  assert.equal(decision.type, 'adopt');
});

test('T4: a settled run whose shim died: its leftovers are ended, or proven gone, or left', () => {
  const record = exitedRecord([agent]);
  const with700 = (found: NonNullable<FakeHost['processes']>[number]) =>
    decide({ host: { processes: { 700: found } }, record }).type;
  assert.equal(with700({ startTicks: 77 }), 'sweep');
  assert.equal(with700({ startTicks: 78 }), 'tree-gone');
  assert.equal(with700('unreadable'), 'leave');
  assert.equal(decide({ record }).type, 'tree-gone');
  assert.equal(decide({ record, host: { bootId: bootB } }).type, 'tree-gone');
  assert.equal(decide({ record, journal: settled }).type, 'tree-gone');
});

const sights = ['alive', 'gone', 'reused', 'unreadable'] as const;
type Sight = (typeof sights)[number];
const sockets = ['greeted', 'refused', 'absent', 'unreachable', 'not-tried'] as const;

interface Combination {
  readonly shim: Sight;
  readonly root: Sight;
  readonly socket: (typeof sockets)[number];
  readonly owner: 'dead' | 'alive' | 'unverifiable';
  readonly isExpired: boolean;
  readonly ownerLoss: 'adopt' | 'kill';
  readonly isOtherNamespace: boolean;
}

function combinations(): readonly Combination[] {
  const flags = [false, true];
  return sights.flatMap((shim) =>
    sights.flatMap((root) =>
      sockets.flatMap((socket) =>
        (['dead', 'alive', 'unverifiable'] as const).flatMap((owner) =>
          (['adopt', 'kill'] as const).flatMap((ownerLoss) =>
            flags.flatMap((isExpired) =>
              flags.map((isOtherNamespace) => ({
                shim,
                root,
                socket,
                owner,
                ownerLoss,
                isExpired,
                isOtherNamespace,
              })),
            ),
          ),
        ),
      ),
    ),
  );
}

function caseOf({ shim, root, socket, owner, isExpired, ...rest }: Combination): Case {
  const see = (pid: number, sight: Sight, startTicks: number) => {
    if (sight === 'gone') return {};
    if (sight === 'unreadable') return { [pid]: 'unreadable' as const };
    return { [pid]: { startTicks: sight === 'alive' ? startTicks : 1 } };
  };
  const processes = { ...see(499, shim, 8_999), ...see(500, root, 9_000) };
  const where = rest.isOtherNamespace ? { pidNamespace: namespaceB } : {};
  return {
    host: { processes, socket, ...where },
    owner,
    bootMs: isExpired ? leaseEndsAtMs : leaseEndsAtMs - 1,
    record: { ownerLoss: rest.ownerLoss },
  };
}

test('over all combinations of evidence: no action without proof, none against a held lease', () => {
  const all = combinations();
  assert.equal(all.length, 1_920);
  for (const combination of all) {
    const { shim, root, socket, owner, isExpired, ownerLoss, isOtherNamespace } = combination;
    const decision = decide(caseOf(combination));
    const context = JSON.stringify({ combination, decision });
    if (owner !== 'dead' && !isExpired) assert.equal(decision.type, 'leave', context);
    if (decision.type === 'sweep') assert.ok(root === 'alive' && shim !== 'alive', context);
    if (decision.type === 'terminate') assert.ok(ownerLoss === 'kill' && isExpired, context);
    const isSocketSilent = socket !== 'greeted' && socket !== 'refused';
    if (shim === 'unreadable' && isSocketSilent) assert.ok(!isActing(decision), context);
    if (decision.type === 'stale') {
      assert.ok(shim === 'gone' || shim === 'reused' || socket === 'refused', context);
      assert.ok(isOtherNamespace || root !== 'alive', context);
    }
  }
});

test('deciding is pure: the same input gives the same decision and is not changed', () => {
  const input = inputOf({ host: { processes: alive } });
  const before = JSON.stringify(input);
  assert.deepEqual(decide({ host: { processes: alive } }), decide({ host: { processes: alive } }));
  assert.equal(JSON.stringify(input), before);
  assert.equal(evidenceOf({}, recordOf()).root?.reading.kind, 'absent');
});
