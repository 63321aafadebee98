/*
 * How a run ended, from the shim's records (T3, T5): the journal is the truth, this only changes its words.
 *
 * Two facts meet here: the root's exit, which always stands (T4), and the end of its tree, whose reason is the
 * run's once the tree has ended. Where there is no record, the exit says honestly what is not known.
 */
import { type EndRecord, type ExitRecord, formatCursor } from '@clawdfather/shim';
import { signalNameOf } from '../../lifecycle/signal-name.ts';
import type { Cursor, RunExit, RunId, TerminationReason } from '../../types.ts';

export interface ExitRecords {
  readonly exit: ExitRecord;
  readonly end: EndRecord | undefined;
  readonly journalLength: number;
}

export function runExitOf(runId: RunId, { exit, end, journalLength }: ExitRecords): RunExit {
  const isStarted = exit.reason !== 'spawn-error' && exit.startedUs > 0;
  return {
    runId,
    reason: end?.reason ?? exit.reason,
    code: exit.code,
    signal: exit.signal === undefined ? undefined : signalNameOf(exit.signal),
    coreDumped: exit.hasCore,
    actor: end?.actor ?? exit.actor,
    detail: end?.detail ?? exit.detail,
    startedAtMs: isStarted ? milliseconds(exit.startedUs) : undefined,
    endedAtMs: milliseconds(exit.endedUs),
    durationMs: isStarted ? exit.durationMs : undefined,
    usage: isStarted
      ? {
          userUs: exit.userUs,
          systemUs: exit.systemUs,
          maxRssBytes: exit.maxRssKb * 1024,
          readBytes: exit.readBytes,
          writeBytes: exit.writeBytes,
        }
      : undefined,
    killed: end?.killed ?? nothingKilled,
    escapees: end?.escapees ?? 0,
    leftovers: exit.leftovers,
    survivors: end?.survivors ?? [],
    undrainedBytes: unsavedBytes(exit, end),
    failure: failureOf(exit),
    cursor: cursorAt(journalLength),
  };
}

/* What waited at the exit may be taken while leftovers live, or more may come to it; the end knows. */
function unsavedBytes(exit: ExitRecord, end: EndRecord | undefined): number {
  return exit.leftovers.length > 0 && end !== undefined ? end.undrainedBytes : exit.undrainedBytes;
}

function failureOf({ stage, errno }: ExitRecord): RunExit['failure'] {
  return stage === undefined || errno === undefined ? undefined : { stage, errno };
}

/* A run of which there is no exit record. */
export function exitWithoutRecord(
  runId: RunId,
  reason: TerminationReason,
  rest: Pick<RunExit, 'endedAtMs' | 'detail'> & Partial<RunExit>,
): RunExit {
  return {
    runId,
    reason,
    code: undefined,
    signal: undefined,
    coreDumped: false,
    actor: undefined,
    startedAtMs: undefined,
    durationMs: undefined,
    usage: undefined,
    killed: nothingKilled,
    escapees: 0,
    leftovers: [],
    survivors: [],
    undrainedBytes: 0,
    failure: undefined,
    cursor: cursorAt(0),
    ...rest,
  };
}

/*
 * The stage of a start that never came to a shim: the intent was voided, so it is proven that nothing ran (S1). The caller may
 * ask again without doing anything twice.
 */
export const unclaimedStage = 'unclaimed';

const nothingKilled = { pid: 0, pgid: 0, cgroup: 0 };

function cursorAt(offset: number): Cursor {
  return formatCursor({ offset, payloadOffset: 0 }) as Cursor;
}

function milliseconds(us: number): number {
  return Math.floor(us / 1000);
}
