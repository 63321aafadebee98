/*
 * A process and those it comes from, nearest first, each with the start time that tells it from a later one of the same
 * pid. It ends where /proc says nothing more: at process 1, at the edge of a namespace, at a process that is gone.
 *
 * A shim adopts its orphans (it is a subreaper), so what a run started has the run's shim above it, however often it
 * forked.
 */
import type { ProcessTable } from './process-table.ts';
import { createProcProcessTable } from './process-table.ts';

export interface ProcessMark {
  readonly pid: number;
  readonly startTicks: number;
  readonly processGroupId: number;
  readonly kernelSessionId: number;
  /* What it calls itself; a hint, never a proof. */
  readonly comm: string;
}

/* Deeper trees are loops of a damaged table. */
const depthMax = 1_024;

export function readLineage(
  pid: number,
  table: Pick<ProcessTable, 'read'> = createProcProcessTable(),
): readonly ProcessMark[] {
  const marks: ProcessMark[] = [];
  for (let current = pid; current > 0 && marks.length < depthMax; ) {
    const reading = table.read(current);
    if (reading.kind !== 'found') break;
    const { startTicks, processGroupId, kernelSessionId, parentPid, comm } = reading.stat;
    marks.push({ pid: current, startTicks, processGroupId, kernelSessionId, comm });
    current = parentPid;
  }
  return marks;
}
