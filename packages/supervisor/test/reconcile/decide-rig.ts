/*
 * Inputs for reconciliation tests: generation 1 owned `recordOf()`, we are
 * generation 2 of the same instance, its lease ends at 100 s of boot A.
 */

import type { Verdict } from '../../src/evidence/verdict.ts';
import { decideReconcile } from '../../src/reconcile/decide.ts';
import type { Decision, JournalReading, ReconcileInput } from '../../src/reconcile/decide.ts';
import type { OwnerRecord } from '../../src/registry/owners.ts';
import type { RunRecord } from '../../src/types.ts';
import { evidenceOf } from '../fake-host.ts';
import type { FakeHost } from '../fake-host.ts';
import { bootA, namespaceA, recordOf } from '../records.ts';

export interface Case {
  readonly host?: FakeHost;
  readonly record?: Partial<RunRecord>;
  readonly lease?: Partial<OwnerRecord> | 'forgotten';
  readonly owner?: 'dead' | 'alive' | 'unverifiable';
  readonly journal?: JournalReading;
  readonly bootMs?: number;
  readonly input?: Partial<ReconcileInput>;
}

export const leaseEndsAtMs = 100_000;

export function leaseOf(parts: Partial<OwnerRecord> = {}): OwnerRecord {
  return {
    instanceId: 'instance-a',
    generation: 1,
    pid: 100,
    startTicks: 10,
    bootId: bootA,
    pidNamespace: namespaceA,
    leaseExpiresAtMs: leaseEndsAtMs,
    startedAtMs: 1,
    isReleased: false,
    isRevoked: false,
    ...parts,
  };
}

const verdicts: Readonly<Record<NonNullable<Case['owner']>, Verdict>> = {
  dead: { verdict: 'missing', why: 'no process has this pid' },
  alive: { verdict: 'alive-ours', why: 'pid, start time and group match' },
  unverifiable: { verdict: 'unverifiable', why: 'hidden' },
};

export function inputOf(given: Case): ReconcileInput {
  const record = recordOf(given.record);
  const evidence = evidenceOf(given.host ?? {}, record);
  return {
    record,
    self: { instanceId: 'instance-a', generation: 2, bootId: evidence.bootId },
    lease: given.lease === 'forgotten' ? undefined : leaseOf(given.lease),
    owner: verdicts[given.owner ?? 'dead'],
    evidence,
    journal: given.journal ?? { kind: 'open' },
    isSupervised: false,
    bootMs: given.bootMs ?? 50_000,
    ...given.input,
  };
}

export function decide(given: Case): Decision {
  return decideReconcile(inputOf(given));
}

/** Decisions that may end in a signal or in words about a process's end. */
export function isActing({ type }: Decision): boolean {
  return type === 'terminate' || type === 'sweep' || type === 'stale';
}
