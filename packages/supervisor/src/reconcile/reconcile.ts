/*
 * Reconciliation: every open record is looked at, one decision each, every decision announced.
 *
 * decide.ts decides from evidence; here evidence is collected and decisions are carried out (carry-out.ts). Runs of
 * a live owner are not even connected to. `record` mode writes down what has ended and leaves what lives alone: a
 * command that only looks must not become an owner (O2).
 */
import type { SupervisorContext } from '../context.ts';
import { collectRunEvidence } from '../evidence/run-evidence.ts';
import { isGone, type Verdict, verdictOfOwner } from '../evidence/verdict.ts';
import { reconcileAtOnceMax, startingLookMs, startingLooksMax } from '../limits.ts';
import type { OwnerRecord } from '../registry/owners.ts';
import { treeEndUnseen } from '../run/records/run-exit.ts';
import { runDirOf } from '../run/records/run-files.ts';
import type { ReconcileDecision, RunRecord } from '../types.ts';
import { carryOut } from './carry-out.ts';
import { type Decision, decideReconcile, type ReconcileInput } from './decide.ts';
import { probeShim } from './probe-shim.ts';
import { readJournal } from './read-journal.ts';

export type ReconcileMode = 'adopt' | 'record';

/* All owners and what the evidence says of each. Looked at once, and not at all while no run is open: 64 dead ones are kept. */
export interface Owners {
  readonly of: (record: RunRecord) => {
    readonly lease: OwnerRecord | undefined;
    readonly verdict: Verdict;
  };
  /* Generations of our instance that are proven dead (O2). */
  readonly provenDead: readonly number[];
}

export async function reconcileRuns(
  context: SupervisorContext,
  mode: ReconcileMode,
): Promise<readonly ReconcileDecision[]> {
  const records = context.registry.open();
  context.unverifiable.clear();
  if (records.length === 0) return [];
  const owners = lookAtOwners(context);
  const decisions: ReconcileDecision[] = [];
  for (let start = 0; start < records.length; start += reconcileAtOnceMax) {
    const part = records.slice(start, start + reconcileAtOnceMax);
    const decided = await Promise.all(
      part.map((record) => reconcilePatiently(context, owners, { record, mode })),
    );
    for (const decision of decided) {
      context.observer.event({ type: 'reconcile', decision });
      decisions.push(decision);
      if (decision.decision === 'unverifiable') context.unverifiable.add(decision.runId);
    }
  }
  return decisions;
}

function lookAtOwners(context: SupervisorContext): Owners {
  const { registry, processTable, host } = context;
  const seen = new Map<string, { lease: OwnerRecord; verdict: Verdict }>();
  for (const lease of registry.owners()) {
    const verdict = verdictOfOwner(lease, host, processTable.read(lease.pid));
    seen.set(`${lease.instanceId}/${lease.generation}`, { lease, verdict });
  }
  const unknown = {
    lease: undefined,
    verdict: { verdict: 'missing', why: 'forgotten' } as Verdict,
  };
  const dead = [...seen.values()].filter(
    ({ lease, verdict }) => lease.instanceId === registry.instanceId && isGone(verdict),
  );
  return {
    of: (record) => seen.get(`${record.ownerInstanceId}/${record.ownerGeneration}`) ?? unknown,
    provenDead: dead.map(({ lease }) => lease.generation),
  };
}

interface Subject {
  readonly record: RunRecord;
  readonly mode: ReconcileMode;
}

async function reconcileOne(
  context: SupervisorContext,
  owners: Owners,
  { record, mode }: Subject,
): Promise<ReconcileDecision> {
  const { runId } = record;
  if (context.live.has(runId) || context.spawning.has(runId)) {
    return { runId, decision: 'continue', why: 'ours, and in hand', evidence: {} };
  }
  const runDir = runDirOf(context.stateDir.runsDir, runId);
  const looked = lookWithoutTouching(context, owners, record);
  const first = decideReconcile(looked);
  if (isSomebodyElses(looked, first)) {
    if (context.registry.isCopy) await noteEnd(context, record);
    return report(record, first, looked);
  }
  const { reading, scan } = readJournal(runDir, record);
  const isOpen = reading.kind === 'open' || (reading.kind === 'settled' && !reading.isTreeGone);
  const cookie = scan?.header?.cookie;
  const probe =
    isOpen && cookie !== undefined
      ? await probeShim(runDir, cookie, context)
      : { socket: 'not-tried' as const, link: undefined };
  const evidence = { ...looked.evidence, socket: probe.socket };
  const input: ReconcileInput = { ...looked, journal: reading, evidence };
  const decision = decideReconcile(input);
  const outcome = await carryOut(context, decision, {
    record,
    scan,
    probe,
    mode,
    provenDead: owners.provenDead,
  });
  return { ...report(record, decision, input), ...outcome };
}

/*
 * A live owner records the end of its runs, unless the disk is full. A copy of the registry is ours alone, so it can be told
 * what the journal says without taking anything from that owner.
 */
async function noteEnd(
  { registry, stateDir }: SupervisorContext,
  record: RunRecord,
): Promise<void> {
  const { runId, epoch, ownerInstanceId, state } = record;
  const { reading, scan } = readJournal(runDirOf(stateDir.runsDir, runId), record);
  if (ownerInstanceId !== registry.instanceId || reading.kind !== 'settled') return;
  const { exit, isTreeGone } = reading;
  const { treeEnd = treeEndUnseen(exit.endedAtMs) } = exit;
  const settlement = { exit, isTreeGone, journalBytes: scan?.endOffset, lastOutputAtMs: undefined };
  await registry.write((tx) => {
    if (state !== 'exited') tx.finalise({ runId, epoch }, settlement);
    else if (isTreeGone) tx.markTreeGone({ runId, epoch }, { treeEnd });
  });
}

/*
 * A run may be between two states: claimed and its socket not there yet, or its shim killed and not yet dead. That
 * passes in a moment, so it is looked at again before it is reported as what cannot be known.
 */
async function reconcilePatiently(
  context: SupervisorContext,
  owners: Owners,
  { record, mode }: Subject,
): Promise<ReconcileDecision> {
  for (let look = 1; ; look += 1) {
    const current = look === 1 ? record : (context.registry.get(record.runId) ?? record);
    const decision = await reconcileOne(context, owners, { record: current, mode }).catch(
      (error: unknown) => uncertain(current, error),
    );
    const isInBetween = current.shimPid === undefined || decision.evidence['socket'] === 'refused';
    const isPassing = decision.decision === 'unverifiable' && isInBetween;
    if (!isPassing || current.state === 'exited' || look === startingLooksMax) return decision;
    await context.clock.sleep(startingLookMs * look, context.signal);
  }
}

/* A run that cannot be looked at does not stop the others; it is left as it is and looked at again next time. */
function uncertain({ runId, state, epoch }: RunRecord, error: unknown): ReconcileDecision {
  const why = error instanceof Error ? error.message : String(error);
  return { runId, decision: 'unverifiable', why, evidence: { state, epoch } };
}

/* Cheap: the owner's row and /proc. Enough to know whether it is anybody else's business. */
function lookWithoutTouching(
  context: SupervisorContext,
  owners: Owners,
  record: RunRecord,
): ReconcileInput {
  const { host, processTable, registry } = context;
  const { lease, verdict } = owners.of(record);
  const runDirPath = runDirOf(context.stateDir.runsDir, record.runId);
  const { instanceId } = registry;
  return {
    record,
    self: { instanceId, generation: context.owner().generation, bootId: host.bootId },
    lease,
    owner: verdict,
    evidence: collectRunEvidence(host, processTable, { record, runDirPath, socket: 'not-tried' }),
    journal: { kind: 'open' },
    /* Those in hand are not looked at at all. */
    isSupervised: false,
    takenFrom: undefined,
    bootMs: host.bootMs(),
  };
}

function isSomebodyElses({ record, self }: ReconcileInput, decision: Decision): boolean {
  if (record.ownerInstanceId !== self.instanceId) return true;
  return decision.type === 'leave' && decision.as === 'foreign-healthy';
}

const names: Readonly<Record<Decision['type'], ReconcileDecision['decision']>> = {
  continue: 'continue',
  adopt: 'adopted',
  terminate: 'terminated',
  finalise: 'finalised',
  void: 'voided',
  sweep: 'terminated',
  stale: 'stale',
  'tree-gone': 'finalised',
  leave: 'unverifiable',
};

function report(record: RunRecord, decision: Decision, input: ReconcileInput): ReconcileDecision {
  const { evidence } = input;
  return {
    runId: record.runId,
    decision: decision.type === 'leave' ? decision.as : names[decision.type],
    why: decision.why,
    evidence: {
      state: record.state,
      epoch: record.epoch,
      owner: `${record.ownerInstanceId.slice(0, 8)}/${record.ownerGeneration}`,
      ownerProcess: input.owner.verdict,
      runDir: evidence.runDir.kind,
      socket: evidence.socket,
      shim: evidence.shim?.reading.kind ?? 'not recorded',
      root: evidence.root?.reading.kind ?? 'not recorded',
      journal: input.journal.kind,
      sameBoot: record.bootId === evidence.bootId,
      sameNamespace: record.pidNamespace === evidence.pidNamespace,
    },
  };
}
