/*
 * Carrying out a reconciliation decision.
 *
 * Whatever changes a run that is not ours begins with taking it: one transaction raises the epoch, and only the
 * winner goes on (O2, O3). Then the shim is asked to accept the claim, and only then is anything done. Terminating
 * goes through the shim's own ladder; a tree without a shim is swept by what can be proven (T6, T8).
 */
import type { ControlLink, JournalScan } from '@clawdfather/shim';
import { actorOf, type SupervisorContext } from '../context.ts';
import { countsOfExit } from '../events.ts';
import { endTree } from '../evidence/end-tree.ts';
import type { RunKey } from '../registry/fence.ts';
import { millisecondsOf } from '../run/output/output-clock.ts';
import {
  exitWithoutRecord,
  runExitOf,
  treeEndUnseen,
  unclaimedStage,
} from '../run/records/run-exit.ts';
import { formatShimDied } from '../run/records/shim-died.ts';
import { lastSeenOf, runDirOf, voidIntent } from '../run/records/run-files.ts';
import { runAsOf } from '../run/records/run-meta.ts';
import type { RunExit } from '../run-end.ts';
import type { ReconcileDecision, RunRecord, TerminationReason } from '../types.ts';
import { adoptRun } from './adopt-run.ts';
import type { Decision } from './decide.ts';
import type { Probe } from './probe-shim.ts';
import type { ReconcileMode } from './reconcile.ts';

export interface Matter {
  readonly record: RunRecord;
  readonly scan: JournalScan | undefined;
  readonly probe: Probe;
  readonly mode: ReconcileMode;
  readonly provenDead: readonly number[];
}

/* What came of it, when that differs from the decision. */
type Outcome = Partial<Pick<ReconcileDecision, 'decision' | 'why'>>;

export async function carryOut(
  context: SupervisorContext,
  decision: Decision,
  matter: Matter,
): Promise<Outcome> {
  const { link } = matter.probe;
  const isClaiming = decision.type === 'adopt' || decision.type === 'terminate';
  const isLinkWanted = isClaiming || isKept(decision);
  if (!isLinkWanted) link?.close();
  if (decision.type === 'leave' || decision.type === 'continue') return {};
  if (matter.mode === 'record' && isLinkWanted) {
    link?.close();
    if (!isKept(decision))
      return { decision: 'continue', why: `${decision.why}; left for an owner to adopt` };
  }
  /* O5: what lives and does not answer is untouched; taking it would only keep others from trying. */
  if (link === undefined && isClaiming) {
    return { decision: 'unverifiable', why: `${decision.why}; its shim does not answer` };
  }
  const taken = await take(context, decision, matter);
  if (taken === undefined) {
    link?.close();
    return { decision: 'foreign-healthy', why: 'another owner took it first' };
  }
  context.observer.count({ name: 'run_reconcile_orphans_total', labels: undefined, by: 1 });
  return act(context, decision, { ...matter, key: { runId: matter.record.runId, epoch: taken } });
}

/* Settled under `keep`, with a shim that still holds leftovers: it needs an owner too. */
function isKept(decision: Decision): boolean {
  return decision.type === 'finalise' && !decision.isTreeGone;
}

/* The epoch we hold it with; undefined when another owner was faster. */
async function take(
  context: SupervisorContext,
  decision: Extract<Decision, { isTaking: boolean }>,
  { record, provenDead }: Matter,
): Promise<number | undefined> {
  if (!decision.isTaking) return record.epoch;
  const [outcome] = await context.registry.takeRuns(context.owner(), [record.runId], provenDead);
  if (outcome?.outcome === 'ours') return context.registry.get(record.runId)?.epoch;
  if (outcome?.outcome !== 'taken') return undefined;
  const { runId, epoch, previousGeneration } = outcome;
  context.observer.event({ type: 'lease-stolen', runId, epoch, previousGeneration });
  context.observer.count({ name: 'run_lease_steal_total', labels: undefined, by: 1 });
  return epoch;
}

interface TakenMatter extends Matter {
  readonly key: RunKey;
}

async function act(
  context: SupervisorContext,
  decision: Exclude<Decision, { type: 'leave' | 'continue' }>,
  matter: TakenMatter,
): Promise<Outcome> {
  const { key } = matter;
  switch (decision.type) {
    case 'adopt':
      return adopt(context, matter, matter.probe.link);
    case 'terminate': {
      const outcome = await adopt(context, matter, matter.probe.link);
      const actor = actorOf(context.owner());
      context.live.get(key.runId)?.run.cancel('owner-lost', actor);
      return outcome;
    }
    case 'finalise': {
      const { exit, isTreeGone } = decision;
      await finalise(context, matter, { exit, isTreeGone });
      if (!isTreeGone && matter.mode === 'adopt') await adopt(context, matter, matter.probe.link);
      return {};
    }
    case 'void':
      return voidRun(context, matter);
    case 'sweep':
      return sweep(context, matter);
    case 'stale':
      return stale(context, decision, matter);
    case 'tree-gone':
      await treeGone(context, matter, decision.treeEnd);
      return {};
  }
}

async function adopt(
  context: SupervisorContext,
  { record, key }: TakenMatter,
  link: ControlLink | undefined,
): Promise<Outcome> {
  if (link === undefined) return { decision: 'unverifiable', why: 'its shim could not be reached' };
  const current = context.registry.get(record.runId) ?? record;
  const isClaimed = await adoptRun(context, { record: current, epoch: key.epoch, link });
  return isClaimed ? {} : { decision: 'foreign-healthy', why: 'its shim has a newer owner' };
}

async function finalise(
  context: SupervisorContext,
  { key, scan }: TakenMatter,
  { exit, isTreeGone }: { readonly exit: RunExit; readonly isTreeGone: boolean },
): Promise<void> {
  const journalBytes = scan?.endOffset;
  const lastOutputAtMs = lastOutputOf(scan);
  const outcome = await context.registry.write((tx) =>
    tx.finalise(key, { exit, isTreeGone, journalBytes, lastOutputAtMs }),
  );
  if (outcome === 'exited') return;
  context.observer.event({ type: 'exit', runId: key.runId, exit });
  for (const count of countsOfExit(exit)) context.observer.count(count);
}

/* An exit that is known stands. What is left of the run may have ended long ago, if its journal does not say when. */
async function treeGone(
  context: SupervisorContext,
  { key, scan }: TakenMatter,
  treeEnd = treeEndUnseen(context.clock.wallMs()),
): Promise<void> {
  const lastOutputAtMs = lastOutputOf(scan);
  await context.registry.write((tx) => tx.markTreeGone(key, { treeEnd, lastOutputAtMs }));
}

function lastOutputOf(scan: JournalScan | undefined): number | undefined {
  return scan?.lastOutputUs === undefined ? undefined : millisecondsOf(scan.lastOutputUs);
}

/* S1: exactly one of us and the shim wins the empty directory. */
async function voidRun(context: SupervisorContext, matter: TakenMatter): Promise<Outcome> {
  const runDir = runDirOf(context.stateDir.runsDir, matter.key.runId);
  if (voidIntent(runDir) === 'claimed') {
    return { decision: 'unverifiable', why: 'a shim claimed it just now; look again' };
  }
  const detail = 'its owner died before a shim claimed it; nothing was started';
  const exit = exitOf(context, matter, { reason: 'reconciled-stale', detail });
  const failure = { stage: unclaimedStage, errno: 0 };
  await finalise(context, matter, { exit: { ...exit, failure }, isTreeGone: true });
  return {};
}

async function sweep(context: SupervisorContext, matter: TakenMatter): Promise<Outcome> {
  const { record } = matter;
  const ended = await endTree(context, record, runAsOf(matter.scan));
  const detail = shimDied(matter, ended.killed);
  context.observer.event({ type: 'shim-lost', runId: record.runId, isSwept: ended.isGone });
  if (record.exit !== undefined) {
    const treeEnd = treeEndUnseen(context.clock.wallMs(), ended.killed);
    if (ended.isGone) await treeGone(context, matter, treeEnd);
    return {};
  }
  const exit = withSwept(exitOf(context, matter, { reason: 'unknown', detail }), ended.killed);
  await finalise(context, matter, { exit, isTreeGone: ended.isGone });
  return {};
}

/*
 * The shim is gone and so is the root, if there was one. The rest of the tree may live on: the root's death signal
 * reaches only the root (T8). With another kernel or namespace everything is gone by definition.
 */
async function stale(
  context: SupervisorContext,
  { reason, why }: Extract<Decision, { type: 'stale' }>,
  matter: TakenMatter,
): Promise<Outcome> {
  const isTreePossible = reason === 'reconciled-stale' && matter.scan !== undefined;
  const ended = isTreePossible
    ? await endTree(context, matter.record, runAsOf(matter.scan))
    : { killed: 0, isGone: true };
  // Of another boot, and of a run whose shim is not on record, the evidence itself says more.
  const isShimDead = reason === 'reconciled-stale' && matter.record.shimPid !== undefined;
  const detail = isShimDead ? shimDied(matter, ended.killed) : why;
  const exit = withSwept(exitOf(context, matter, { reason, detail }), ended.killed);
  await finalise(context, matter, { exit, isTreeGone: ended.isGone });
  if (ended.killed === 0) return {};
  return {
    decision: 'terminated',
    why: `${why}; ${ended.killed} processes of its tree were ended`,
  };
}

function withSwept(exit: RunExit, ended: number): RunExit {
  return { ...exit, killed: { pid: ended, pgid: 0, cgroup: 0 } };
}

function shimDied({ record, scan }: TakenMatter, ended: number): string {
  return formatShimDied({ shimPid: record.shimPid, ended, isExitKnown: scan?.exit !== undefined });
}

/* The root's own exit stands when the journal has it (T4); the reason is ours. */
function exitOf(
  context: SupervisorContext,
  { record, scan }: TakenMatter,
  { reason, detail }: { readonly reason: TerminationReason; readonly detail: string },
): RunExit {
  const { runId } = record;
  if (scan?.exit !== undefined) {
    const known = runExitOf(runId, {
      exit: scan.exit,
      end: undefined,
      journalLength: scan.endOffset,
    });
    return { ...known, reason, detail };
  }
  const { startedAtMs } = record;
  return exitWithoutRecord(runId, reason, {
    endedAtMs: context.clock.wallMs(),
    lastSeenAtMs: lastSeenOf(scan) ?? record.lastOutputAtMs ?? startedAtMs,
    detail,
    startedAtMs,
  });
}
