/*
 * Ends what a dead shim left (T6, T8), by what can be proven and nothing else.
 *
 * Two proofs: the exact lease id in a process's environment (the shim's program sweeps by it, through pidfds), and the
 * recorded root, by pid, start time, group and boot. A process that cleared its environment and is not the root cannot
 * be proven to be ours. It is left alone, and the answer says whether a process that is known to be ours still lives.
 */
import { kill } from 'node:process';
import type { Clock } from '@clawdfather/kit';
import { endRootLookMs, endRootLooks } from '../limits.ts';
import type { RunRecord } from '../types.ts';
import type { ProcessTable } from './process-table.ts';
import { sweepLease } from './sweep-lease.ts';
import { isGone, verdictOfProcess } from './verdict.ts';

export interface EndTreeDeps {
  readonly binaryPath: string;
  readonly processTable: ProcessTable;
  readonly clock: Clock;
}

export interface EndedTree {
  readonly killed: number;
  /* Nothing that is known to be of this run lives any more. */
  readonly isGone: boolean;
}

/* `uid`: the user the run was given to, if not ours. */
export async function endTree(
  deps: EndTreeDeps,
  record: RunRecord,
  uid?: number,
): Promise<EndedTree> {
  const { leaseId, startTicks: notBeforeTicks = 0 } = record;
  const swept = await sweepLease(deps.binaryPath, { leaseId, notBeforeTicks, uid });
  const root = await endRoot(deps, record);
  const others = [...(record.exit?.leftovers ?? []), ...(record.exit?.survivors ?? [])];
  const isAnyLeft = others.some((listed) => !isProvenGone(deps, listed));
  return {
    killed: swept.killed + root.killed,
    isGone: swept.left === 0 && root.isGone && !isAnyLeft,
  };
}

/* Its parent-death signal has ended it already, unless it changed its user. */
async function endRoot(deps: EndTreeDeps, record: RunRecord): Promise<EndedTree> {
  const { pid, startTicks, processGroupId } = record;
  if (pid === undefined || startTicks === undefined) return { killed: 0, isGone: true };
  const recorded = { pid, startTicks, processGroupId };
  let killed = 0;
  for (let look = 0; look < endRootLooks; look += 1) {
    const verdict = verdictOfProcess(recorded, {
      reading: deps.processTable.read(pid),
      leaseId: undefined,
    });
    if (isGone(verdict)) return { killed, isGone: true };
    if (verdict.verdict !== 'alive-ours') return { killed, isGone: false };
    killed = sendKill(pid) ? 1 : killed;
    await deps.clock.sleep(endRootLookMs);
  }
  return { killed, isGone: false };
}

function sendKill(pid: number): boolean {
  try {
    kill(pid, 'SIGKILL');
    return true;
  } catch {
    /* Gone since, or not ours to signal: the next look tells which. */
    return false;
  }
}

function isProvenGone(
  { processTable }: EndTreeDeps,
  { pid, startTicks }: { readonly pid: number; readonly startTicks: number },
): boolean {
  return isGone(
    verdictOfProcess({ pid, startTicks }, { reading: processTable.read(pid), leaseId: undefined }),
  );
}
