/*
 * Everything a gateway does about one planned run: have it started, read by both readers, cancelled if it is endless
 * and its time has come, and its exit written down.
 */
import { hasCode } from '@clawdfather/kit';
import type { ManagedRun, RunExit, RunId, RunRecord, Supervisor } from '@clawdfather/supervisor';
import { type RunPlan, spawnInputOf } from '../plan/run-plan.ts';
import { type Ledger, type ReaderName, readerNames } from './ledger.ts';
import { readRun } from './read-run.ts';

export interface FinishDeps {
  readonly supervisor: Supervisor;
  readonly ledger: Ledger;
}

export async function finishRun(
  deps: FinishDeps,
  plan: RunPlan,
  { isCancelled }: { readonly isCancelled: boolean },
): Promise<void> {
  const run = await openRun(deps, plan);
  if (run === undefined) return recordVoid(deps, plan);
  if (plan.kind === 'endless' && isCancelled) await run.cancel('manual-cancel', 'chaos');
  const work = readerNames.map((reader) => readToEnd(deps, run, reader));
  await Promise.all([...work, recordExit(deps, run)]);
}

/* S1: the same id twice is one run, so whoever finds a plan simply spawns it. Undefined: it never started. */
async function openRun({ supervisor }: FinishDeps, plan: RunPlan): Promise<ManagedRun | undefined> {
  const runId = plan.runId as RunId;
  try {
    const known = supervisor.get(runId);
    if (known === undefined) return await supervisor.spawn(spawnInputOf(plan));
    return voidExitOf(known) === undefined ? await supervisor.attach(runId) : undefined;
  } catch (error) {
    const record = supervisor.get(runId);
    const isVoid = record !== undefined && voidExitOf(record) !== undefined;
    if (isVoid && hasCode(error, 'spawn-failed', 'spawn-cancelled')) return undefined;
    throw error;
  }
}

/* A crash before the shim was asked: nothing was started, and the record says so (S1). */
export function voidExitOf({ exit, pid }: RunRecord): RunExit | undefined {
  return pid === undefined && exit?.startedAtMs === undefined ? exit : undefined;
}

function recordVoid({ supervisor, ledger }: FinishDeps, { runId }: RunPlan): void {
  const record = supervisor.get(runId as RunId);
  const exit = record && voidExitOf(record);
  if (exit !== undefined) ledger.addExit(runId, exit);
  for (const reader of readerNames) {
    ledger.cursorOf({ reader, runId });
    ledger.close({ reader, runId });
  }
}

async function readToEnd(
  { ledger }: FinishDeps,
  run: ManagedRun,
  reader: ReaderName,
): Promise<void> {
  const key = { reader, runId: run.runId };
  while (!ledger.isClosed(key)) {
    if ((await readRun(ledger, run, key)) === 'closed') return;
  }
}

async function recordExit({ ledger }: FinishDeps, run: ManagedRun): Promise<void> {
  ledger.addExit(run.runId, await run.wait());
}
