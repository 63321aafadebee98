/*
 * Which finished runs go, and why each one goes or stays. Pure.
 *
 * Only runs that have exited and whose tree is proven gone can go at all. Of those
 * the oldest go first, until age, count and bytes are all within the policy. Count
 * and bytes are those of each account by itself, so that nobody's runs push out
 * another's. An account may have a bound of its own, which its living runs count
 * towards with what they may grow to. Runs that a person removed go at once. Everything else is listed with the reason it
 * stays, so that `gc --explain` never leaves a question.
 */
import type { RunId } from '../types.ts';

export interface RetentionPolicy {
  readonly ageMs: number;
  readonly runsMax: number;
  readonly bytesMax: number;
  /** Of all journals of an account, living ones included; undefined: none beside `bytesMax`. */
  readonly accountBytesMax?: ((account: string) => number | undefined) | undefined;
}

/** What can take a finished run: a person, one of the policy's three limits, or the bound of its account. */
export type RetentionRule = 'by-hand' | 'age' | 'count' | 'bytes' | 'account-bytes';

/** A run as retention sees it; live ones are given too, to be listed. */
export interface RetainedRun {
  readonly runId: RunId;
  readonly state: 'live' | 'exited';
  /** False while the shim still holds leftovers or survivors (T1, T4). */
  readonly isTreeGone: boolean;
  /** Reconciliation could not tell what it is (O5). */
  readonly isUnverifiable: boolean;
  readonly isRemoved: boolean;
  readonly endedAtMs: number | undefined;
  /** Of a live run: what it may grow to, where that is bounded. */
  readonly journalBytes: number;
  /** Whose it is; empty: nobody's, such as what was started on the command line. */
  readonly account: string;
}

export interface RetentionDecision {
  readonly runId: RunId;
  readonly decision: 'keep' | 'remove';
  readonly why: string;
  /** Of a removal also the `rule` that takes it and the `limit` which that rule has. */
  readonly evidence: Readonly<Record<string, string | number | boolean>>;
}

export interface RetentionPlan {
  /** One per run, removals first, oldest first. */
  readonly decisions: readonly RetentionDecision[];
  readonly removed: { readonly runs: number; readonly bytes: number };
  /** Finished runs that stay only because something of them still lives. */
  readonly survivors: readonly RunId[];
}

export function planRetention(
  runs: readonly RetainedRun[],
  nowMs: number,
  policy: RetentionPolicy,
): RetentionPlan {
  const kept: RetentionDecision[] = [];
  const removed: RetentionDecision[] = [];
  const finished: RetainedRun[] = [];
  const accounts = new Map<string, Filled>();
  const filledOf = (run: RetainedRun): Filled => {
    const filled = accounts.get(run.account) ?? { count: 0, bytes: 0, livingBytes: 0 };
    accounts.set(run.account, filled);
    return filled;
  };
  for (const run of runs) {
    const why = untouchableBecause(run);
    if (why === undefined) finished.push(run);
    else {
      kept.push(decide(run, 'keep', { why, nowMs }));
      filledOf(run).livingBytes += run.journalBytes;
    }
  }
  // Newest first: the first that does not fit, and all older ones, go.
  finished.sort((one, other) => (other.endedAtMs ?? 0) - (one.endedAtMs ?? 0));
  for (const run of finished) {
    const filled = filledOf(run);
    const removal = removedBecause(run, { filled, nowMs, policy });
    if (removal === undefined) {
      filled.count += 1;
      filled.bytes += run.journalBytes;
      kept.push(decide(run, 'keep', { why: 'within age, count and bytes', nowMs }));
    } else {
      removed.push(decide(run, 'remove', { ...removal, nowMs }));
    }
  }
  removed.reverse();
  return {
    decisions: [...removed, ...kept],
    removed: { runs: removed.length, bytes: sumBytes(removed) },
    survivors: runs
      .filter((run) => run.state === 'exited' && !run.isTreeGone)
      .map(({ runId }) => runId),
  };
}

function untouchableBecause(run: RetainedRun): string | undefined {
  if (run.state === 'live') return run.isUnverifiable ? 'it cannot be verified' : 'it is live';
  if (run.isUnverifiable) return 'it cannot be verified';
  if (!run.isTreeGone) return 'something of it still lives';
  return undefined;
}

/** What an account has so far. */
interface Filled {
  count: number;
  bytes: number;
  /** Of what stays in any case. */
  livingBytes: number;
}

interface Standing {
  readonly filled: Filled;
  readonly nowMs: number;
  readonly policy: RetentionPolicy;
}

/** Which rule takes it, and what that rule allows. */
interface Removal {
  readonly why: string;
  readonly rule: { readonly rule: RetentionRule; readonly limit?: number };
}

function removedBecause(
  run: RetainedRun,
  { filled: { count, bytes, livingBytes }, nowMs, policy }: Standing,
): Removal | undefined {
  const by = (rule: RetentionRule, why: string, limit?: number): Removal => ({
    why,
    rule: { rule, ...(limit === undefined ? {} : { limit }) },
  });
  if (run.isRemoved) return by('by-hand', 'it was removed by hand');
  const ageMs = nowMs - (run.endedAtMs ?? 0);
  if (ageMs > policy.ageMs) return by('age', 'it is older than the policy keeps', policy.ageMs);
  if (count >= policy.runsMax) return by('count', 'newer runs fill the count', policy.runsMax);
  if (bytes + run.journalBytes > policy.bytesMax) {
    return by('bytes', 'newer runs fill the space', policy.bytesMax);
  }
  const accountMax = policy.accountBytesMax?.(run.account);
  if (accountMax !== undefined && livingBytes + bytes + run.journalBytes > accountMax) {
    return by('account-bytes', 'newer runs fill the space of its account', accountMax);
  }
  return undefined;
}

function decide(
  run: RetainedRun,
  decision: RetentionDecision['decision'],
  { why, rule, nowMs }: Partial<Removal> & { readonly why: string; readonly nowMs: number },
): RetentionDecision {
  const { runId, state, isTreeGone, journalBytes } = run;
  const age = run.endedAtMs === undefined ? {} : { ageMs: nowMs - run.endedAtMs };
  return { runId, decision, why, evidence: { state, isTreeGone, journalBytes, ...age, ...rule } };
}

function sumBytes(decisions: readonly RetentionDecision[]): number {
  return decisions.reduce((sum, { evidence }) => sum + Number(evidence['journalBytes']), 0);
}
