/*
 * All that can be seen of one process from outside, for a caller that has a lease of its own on it. Collecting decides nothing.
 *
 * The pid may pass to another process between two reads, so the process is read again at the end: facts that belong to two
 * processes are never put together.
 */
import type { Host } from './host.ts';
import type { ProcessReading, ProcessTable } from './process-table.ts';

export interface ProcessEvidence {
  readonly bootId: string;
  readonly pidNamespace: number;
  readonly reading: ProcessReading;
  /** `undefined`: it cannot be read. */
  readonly program: string | undefined;
  /** Those of ours that it was started with; `undefined`: they cannot be read. */
  readonly variables: ReadonlyMap<string, string> | undefined;
}

export function examineProcess(
  { bootId, pidNamespace }: Pick<Host, 'bootId' | 'pidNamespace'>,
  table: ProcessTable,
  pid: number,
): ProcessEvidence {
  const here = { bootId, pidNamespace };
  const before = table.read(pid);
  if (before.kind !== 'found') return { ...here, reading: before, ...unknown };
  const details = { program: table.programOf(pid), variables: table.variablesOf(pid) };
  const reading = table.read(pid);
  const isSame = reading.kind === 'found' && reading.stat.startTicks === before.stat.startTicks;
  return { ...here, reading, ...(isSame ? details : unknown) };
}

const unknown = { program: undefined, variables: undefined };
