/*
 * What to do about a recorded run, decided from evidence alone
 * (O2, O5, O6, T6, T8, T9). Pure: it reads and signals nothing.
 *
 * Stages, the first that applies decides:
 *   1. Another instance's record (a copied directory) is never touched.
 *   2. A lease that is held by a live owner is never touched; whatever became of
 *      the run, recording it is that owner's job.
 *   3. The journal's own end is the truth, whichever process reads it first.
 *   4. An unclaimed intent is voided: nothing runs, nothing will (S1).
 *   5. A living shim is continued, adopted, or told to end the run when its owner
 *      was lost and the policy says so.
 *   6. A dead shim: its root may live on and is ended, after its evidence; a tree
 *      that is proven gone is recorded with the most honest reason there is.
 *   7. Anything that cannot be proven is left alone and reported.
 *
 * Leases come before stale records: a record whose owner lives and has not yet
 * written the end is not stale.
 */
import { isGone, verdictOfProcess, verdictOfRoot, verdictOfShim } from '../evidence/verdict.ts';
import type { Verdict } from '../evidence/verdict.ts';
import type { RunEvidence } from '../evidence/run-evidence.ts';
import { leaseStateOf } from '../registry/owners.ts';
import type { OwnerRecord } from '../registry/owners.ts';
import type { TakenFrom } from '../registry/take-runs.ts';
import type { RunExit, TreeEnd } from '../run-end.ts';
import type { RunRecord, TerminationReason } from '../types.ts';

/** What the run directory says. */
export type JournalReading =
  /** The intent is there and no shim has claimed it. */
  | { readonly kind: 'unclaimed' }
  /** There is no run directory: voided, or deleted. */
  | { readonly kind: 'absent' }
  /** Claimed, and no end record that settles the run. */
  | { readonly kind: 'open' }
  /** The shim's own record of the end, or of the root's exit under `keep`. */
  | { readonly kind: 'settled'; readonly exit: RunExit; readonly isTreeGone: boolean }
  | { readonly kind: 'unreadable'; readonly why: string };

export interface ReconcileInput {
  readonly record: RunRecord;
  readonly self: {
    readonly instanceId: string;
    readonly generation: number;
    readonly bootId: string;
  };
  /** The owner's row; absent when it was forgotten, which only free leases are. */
  readonly lease: OwnerRecord | undefined;
  /** What the evidence says about the owner's process. */
  readonly owner: Verdict;
  readonly evidence: RunEvidence;
  readonly journal: JournalReading;
  /** This process has a live handle on it. */
  readonly isSupervised: boolean;
  /** How we came by it, if this process took it over since it started (O2). */
  readonly takenFrom?: TakenFrom | undefined;
  /** Monotonic milliseconds of this boot (C1). */
  readonly bootMs: number;
}

export type StaleReason = Extract<
  TerminationReason,
  'reconciled-stale' | 'host-rebooted' | 'container-restarted'
>;

/** `isTaking`: the run has another owner, so raise the epoch first (O3) and act only if that was won. */
export type ReconcileAction =
  | { readonly type: 'continue' }
  | { readonly type: 'adopt'; readonly isTaking: boolean }
  | { readonly type: 'terminate'; readonly isTaking: boolean }
  | {
      readonly type: 'finalise';
      readonly isTaking: boolean;
      readonly exit: RunExit;
      readonly isTreeGone: boolean;
    }
  | { readonly type: 'void'; readonly isTaking: boolean }
  /** The shim is dead and its tree is not: end it, children first (T6, T8), then record it. */
  | { readonly type: 'sweep'; readonly isTaking: boolean }
  | { readonly type: 'stale'; readonly isTaking: boolean; readonly reason: StaleReason }
  /** Settled before; now the rest of its tree is proven gone too. */
  | {
      readonly type: 'tree-gone';
      readonly isTaking: boolean;
      /** Undefined: its journal does not say. */
      readonly treeEnd: TreeEnd | undefined;
    }
  | { readonly type: 'leave'; readonly as: 'foreign-healthy' | 'unverifiable' };

export type Decision = ReconcileAction & { readonly why: string };

export function decideReconcile(input: ReconcileInput): Decision {
  const { record, self } = input;
  if (record.ownerInstanceId !== self.instanceId) {
    return leave('unverifiable', 'it belongs to the directory that this one was copied from');
  }
  const holding = holdingOf(input);
  if (holding.kind === 'held') return leave('foreign-healthy', holding.why);
  const decision = decideOurs(input, holding);
  return { ...decision, why: `${holding.why}; ${decision.why}` };
}

interface Holding {
  readonly kind: 'ours' | 'free' | 'held';
  /** T9: an owner that let go on purpose was not lost. */
  readonly isOwnerLost: boolean;
  readonly why: string;
}

function holdingOf(input: ReconcileInput): Holding {
  const { record, self, lease, owner, bootMs } = input;
  const is = (kind: Holding['kind'], isOwnerLost: boolean, why: string): Holding => ({
    kind,
    isOwnerLost,
    why,
  });
  if (record.ownerGeneration === self.generation) {
    return is('ours', input.takenFrom === 'expired', 'ours');
  }
  if (lease === undefined) return is('free', false, 'its owner is forgotten');
  if (lease.isReleased) return is('free', false, 'its owner let go');
  const isExpired = leaseStateOf(lease, { bootId: self.bootId, bootMs }) === 'free';
  if (isExpired) return is('free', true, 'its owner’s lease has run out');
  // A restart within the lease is no loss: the shim waits just as long for a claim (T9).
  if (isGone(owner)) return is('free', false, `its owner is dead: ${owner.why}`);
  return is('held', false, `generation ${lease.generation} holds it`);
}

function decideOurs(input: ReconcileInput, holding: Holding): Decision {
  const { record, journal } = input;
  const isTaking = holding.kind === 'free';
  if (record.state === 'exited') return decideSettled(input, isTaking);
  if (journal.kind === 'settled') {
    const { exit, isTreeGone } = journal;
    return { type: 'finalise', isTaking, exit, isTreeGone, why: 'its journal has the end' };
  }
  if (input.isSupervised && record.state === 'starting') {
    return { type: 'continue', why: 'it is being started' };
  }
  // One whose shim is on record was claimed, and has lost its journal since.
  if (journal.kind === 'unclaimed' && record.shimPid === undefined) {
    return { type: 'void', isTaking, why: 'no shim has claimed it' };
  }
  const shim = verdictOfShim(record, input.evidence);
  if (shim.verdict === 'alive-ours') return decideAlive(input, holding, shim);
  if (journal.kind === 'absent' && record.shimPid === undefined && !isGone(shim)) {
    // A shim without its directory starts nothing, and none was recorded: somebody voided it, and was lost before that was on record.
    return { type: 'void', isTaking, why: 'its directory is gone and nothing was started' };
  }
  if (!isGone(shim)) return leave('unverifiable', shim.why);
  return decideShimless(input, isTaking, shim);
}

function decideAlive(input: ReconcileInput, holding: Holding, shim: Verdict): Decision {
  const { record, isSupervised } = input;
  if (isSupervised && holding.kind === 'ours') return { type: 'continue', why: shim.why };
  const isTaking = holding.kind === 'free';
  if (holding.isOwnerLost && record.ownerLoss === 'kill') {
    return { type: 'terminate', isTaking, why: 'its policy is to end with its owner' };
  }
  return { type: 'adopt', isTaking, why: shim.why };
}

function decideShimless(input: ReconcileInput, isTaking: boolean, shim: Verdict): Decision {
  const { record, evidence, journal } = input;
  // The exit may be in there: recording "stale" would lose it.
  if (journal.kind === 'unreadable') return leave('unverifiable', journal.why);
  const reason = staleReasonOf(record, evidence);
  // With its kernel or its namespace the whole tree is gone; without a root there never was one.
  if (reason !== 'reconciled-stale' || record.pid === undefined) {
    return { type: 'stale', isTaking, reason, why: shim.why };
  }
  const root = verdictOfRoot(record, evidence);
  if (root.verdict === 'alive-ours') {
    return { type: 'sweep', isTaking, why: `its shim is dead (${shim.why}), its root lives` };
  }
  if (isGone(root)) return { type: 'stale', isTaking, reason, why: `${shim.why}, ${root.why}` };
  return leave('unverifiable', root.why);
}

/** An exited run whose shim still held leftovers or survivors when it was last seen (T1, T4). */
function decideSettled(input: ReconcileInput, isTaking: boolean): Decision {
  const { record, evidence, journal } = input;
  if (journal.kind === 'settled' && journal.isTreeGone) {
    const { treeEnd } = journal.exit;
    return { type: 'tree-gone', isTaking, treeEnd, why: 'its journal has the end of the tree' };
  }
  const shim = verdictOfShim(record, evidence);
  if (shim.verdict === 'alive-ours') {
    const isHeld = input.isSupervised && !isTaking;
    return { ...(isHeld ? { type: 'continue' } : { type: 'adopt', isTaking }), why: shim.why };
  }
  if (!isGone(shim)) return leave('unverifiable', shim.why);
  const others = verdictsOfOthers(record, evidence);
  if (others.some(({ verdict }) => verdict === 'alive-ours')) {
    return { type: 'sweep', isTaking, why: 'its shim is dead and leftovers live' };
  }
  const doubt = others.find((verdict) => !isGone(verdict));
  if (doubt !== undefined) return leave('unverifiable', doubt.why);
  return { type: 'tree-gone', isTaking, treeEnd: undefined, why: shim.why };
}

function verdictsOfOthers(record: RunRecord, evidence: RunEvidence): readonly Verdict[] {
  if (record.bootId !== evidence.bootId) return [];
  const listed = [...(record.exit?.leftovers ?? []), ...(record.exit?.survivors ?? [])];
  return listed.map(({ pid, startTicks }) => {
    const seen = evidence.others.find((other) => other.pid === pid);
    if (seen === undefined) return { verdict: 'unverifiable', why: `pid ${pid} was not looked at` };
    return verdictOfProcess({ pid, startTicks }, { reading: seen.reading, leaseId: undefined });
  });
}

function staleReasonOf(record: RunRecord, evidence: RunEvidence): StaleReason {
  if (record.bootId !== evidence.bootId) return 'host-rebooted';
  // E1: a namespace ends with its first process, and everything in it.
  if (record.pidNamespace !== evidence.pidNamespace) return 'container-restarted';
  return 'reconciled-stale';
}

function leave(as: 'foreign-healthy' | 'unverifiable', why: string): Decision {
  return { type: 'leave', as, why };
}
