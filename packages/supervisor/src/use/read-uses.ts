/*
 * What runs use now: cpu time, memory and processes of their trees, and how much they have said.
 *
 * One scan of the host's processes serves all runs of a call. It reads a file for every process of the host, so callers ask
 * only when they show the answer.
 */
import type { SupervisorContext } from '../context.ts';
import { runDirOf } from '../run/records/run-files.ts';
import type { RunId, RunRecord } from '../types.ts';
import { readJournalExtent } from './journal-length.ts';
import {
  type ProcessScan,
  readPageBytes,
  scanProcesses,
  ticksPerSecond,
} from './scan-processes.ts';
import { loadOfTree } from './tree-load.ts';

export interface RunUse {
  /** When this was so, in wall time. A rate is the difference of two of these over the time between them. */
  readonly atMs: number;
  /** Of the whole tree since the start of the run, and it never falls. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** The length of the journal; undefined when there is none. */
  readonly outputBytes: number | undefined;
  /** What its journal holds on the disk: less than its length once a limit has dropped the oldest. */
  readonly diskBytes: number | undefined;
  /** The command's own process is among the processes. */
  readonly hasCommand: boolean;
  /** That process was stopped by a signal, and nobody has continued it. */
  readonly isStopped: boolean;
}

type UseDeps = Pick<SupervisorContext, 'clock' | 'stateDir'>;

/** A run that has ended with all its processes is not in the answer, nor one whose shim cannot be seen. */
export function readUses(
  { clock, stateDir }: UseDeps,
  records: readonly RunRecord[],
  scan: () => ProcessScan = scanProcesses,
): ReadonlyMap<RunId, RunUse> {
  const living = records.filter(({ treeEndedAtMs }) => treeEndedAtMs === undefined);
  if (living.length === 0) return new Map();
  const pageBytes = readPageBytes();
  const atMs = clock.wallMs();
  const scanned = scan();
  return new Map(
    living.flatMap((record): [RunId, RunUse][] => {
      const load = loadOfTree(scanned, record);
      if (load === undefined) return [];
      const journal = readJournalExtent(runDirOf(stateDir.runsDir, record.runId));
      const use = {
        atMs,
        cpuMs: (load.cpuTicks * 1_000) / ticksPerSecond,
        memoryBytes: load.rssPages * pageBytes,
        processes: load.processes,
        outputBytes: journal?.lengthBytes,
        diskBytes: journal?.diskBytes,
        hasCommand: load.hasRoot,
        isStopped: load.isRootStopped,
      };
      return [[record.runId, use]];
    }),
  );
}
