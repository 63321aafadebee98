/*
 * What a run's directory says, in the words of the decision (decide.ts).
 */
import type { JournalScan } from '@clawdfather/shim';
import type { RunRecord } from '../types.ts';
import { runExitOf, settlesWithRoot } from '../run/records/run-exit.ts';
import { scanRun } from '../run/records/run-files.ts';
import type { JournalReading } from './decide.ts';

export interface ScannedJournal {
  readonly reading: JournalReading;
  readonly scan: JournalScan | undefined;
}

export function readJournal(runDir: string, record: RunRecord): ScannedJournal {
  const found = scanRun(runDir);
  if (found.kind === 'found') return { reading: readingOf(found.scan, record), scan: found.scan };
  return { reading: found, scan: undefined };
}

function readingOf(scan: JournalScan, { runId, leftovers }: RunRecord): JournalReading {
  if (scan.state === 'empty') return { kind: 'unclaimed' };
  const { exit, end, endOffset: journalLength } = scan;
  if (exit === undefined) return { kind: 'open' };
  if (end !== undefined) {
    const settled = runExitOf(runId, { exit, end, journalLength });
    return { kind: 'settled', exit: settled, isTreeGone: end.isFinal };
  }
  /* T4: otherwise its tree is still being ended. */
  if (!settlesWithRoot(leftovers, exit.reason)) return { kind: 'open' };
  const settled = runExitOf(runId, { exit, end, journalLength });
  return { kind: 'settled', exit: settled, isTreeGone: false };
}
