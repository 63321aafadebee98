/*
 * Tells whether exactly this process runs. It is a side door, for callers that have a pid and a start time and need nothing else.
 *
 * A zombie is dead: nothing of it runs and no signal reaches it, however long its parent takes to wait for it. A process
 * that cannot be looked at is not known to run, and must not be signalled (O5).
 */
import { createProcProcessTable } from './process-table.ts';
import { type RecordedProcess, verdictOfProcess } from './verdict.ts';

const table = createProcProcessTable();

export function isProcessAlive({
  pid,
  startTicks,
}: Pick<RecordedProcess, 'pid' | 'startTicks'>): boolean {
  const seen = { reading: table.read(pid), leaseId: undefined };
  return verdictOfProcess({ pid, startTicks }, seen).verdict === 'alive-ours';
}

/** Of a process that is there, a zombie too; `undefined` when there is none, or it is hidden. */
export function startTicksOf(pid: number): number | undefined {
  const reading = table.read(pid);
  return reading.kind === 'found' ? reading.stat.startTicks : undefined;
}
