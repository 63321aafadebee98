/*
 * What is told of one run and not of a list of them, because its journal has to be looked at: when it last said something, how much it
 * has said, and what it was started with beside what the registry keeps.
 */
import type { RunRecord } from '../../types.ts';
import { millisecondsOf } from '../output/output-clock.ts';
import { scanRun } from './run-files.ts';
import { type AskedLimits, parseMeta } from './run-meta.ts';

export interface RunDetail {
  /** Exact, also while it lives; undefined: it has said nothing. */
  readonly lastOutputAtMs: number | undefined;
  /** The length of its journal, with what was dropped since; undefined when there is none. */
  readonly outputBytes: number | undefined;
  /** What a ring has dropped of it (J3). */
  readonly droppedBytes: number;
  /** From SIGTERM to SIGKILL; undefined: an older version did not write it down. */
  readonly graceMs: number | undefined;
  /** Those that it was started with. */
  readonly limits: AskedLimits;
}

export function readRunDetail(
  runDir: string,
  { lastOutputAtMs, journalBytes }: RunRecord,
): RunDetail {
  const found = scanRun(runDir);
  const nothing = { graceMs: undefined, limits: {} };
  if (found.kind !== 'found' || found.scan.state === 'empty') {
    return { lastOutputAtMs, outputBytes: journalBytes, droppedBytes: 0, ...nothing };
  }
  const { lastOutputUs, endOffset, oldestOffset, meta } = found.scan;
  const { graceMs, limits } = (meta && parseMeta(meta)?.bounds) ?? nothing;
  return {
    lastOutputAtMs: lastOutputUs === undefined ? undefined : millisecondsOf(lastOutputUs),
    outputBytes: endOffset,
    droppedBytes: oldestOffset,
    graceMs,
    limits,
  };
}
