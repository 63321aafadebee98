/*
 * How a run ended, from the shim's records (T3, T5): the journal is the truth, this only changes its words.
 *
 * Two facts meet here: the root's exit, which always stands (T4), and the end of its tree, whose reason is the
 * run's once the tree has ended. Where there is no record, the exit says honestly what is not known.
 */
import { type EndRecord, type ExitRecord, formatCursor, type UsageRecord } from '@clawdfather/shim';
import { signalNameOf } from '../../lifecycle/signal-name.ts';
import type { RunExit, TreeEnd } from '../../run-end.ts';
import type { Cursor, LeftoversPolicy, RunId, TerminationReason } from '../../types.ts';

export interface ExitRecords {
  readonly exit: ExitRecord;
  readonly end: EndRecord | undefined;
  readonly journalLength: number;
}

export function runExitOf(runId: RunId, { exit, end, journalLength }: ExitRecords): RunExit {
  const { killed, escapees, survivors, ...whole } = end ?? noEnd;
  const isStarted = exit.reason !== 'spawn-error' && exit.startedUs > 0;
  return {
    runId,
    reason: whole.reason ?? exit.reason,
    code: exit.code,
    signal: exit.signal === undefined ? undefined : signalNameOf(exit.signal),
    coreDumped: exit.hasCore,
    actor: whole.actor ?? exit.actor,
    detail: whole.detail ?? exit.detail,
    hostCause: undefined,
    startedAtMs: isStarted ? milliseconds(exit.startedUs) : undefined,
    endedAtMs: milliseconds(exit.endedUs),
    lastSeenAtMs: undefined,
    durationMs: isStarted ? exit.durationMs : undefined,
    // What outlived the root was reaped after it.
    usage: isStarted ? usageOf(whole.usage ?? exit) : undefined,
    killed,
    escapees,
    leftovers: exit.leftovers,
    survivors,
    undrainedBytes: unsavedBytes(exit, end),
    failure: failureOf(exit),
    cursor: cursorAt(journalLength),
    treeEnd: end?.isFinal === true ? treeEndOf(end) : undefined,
  };
}

/* What waited at the exit may be taken while leftovers live, or more may come to it; the end knows. */
function unsavedBytes(exit: ExitRecord, end: EndRecord | undefined): number {
  return exit.leftovers.length > 0 && end !== undefined ? end.undrainedBytes : exit.undrainedBytes;
}

function usageOf({ maxRssKb, ...rest }: UsageRecord): RunExit['usage'] {
  const { userUs, systemUs, readBytes, writeBytes } = rest;
  return { userUs, systemUs, maxRssBytes: maxRssKb * 1024, readBytes, writeBytes };
}

/* `exit` and `signal` are the root's: what it left ended by itself. */
function treeEndOf({ reason, actor, killed, endedUs }: EndRecord): TreeEnd {
  const isAsked = !isByItself(reason);
  return { endedAtMs: milliseconds(endedUs), reason, actor: isAsked ? actor : undefined, killed };
}

/* Nobody saw how it came about: it was over by then. */
export function treeEndUnseen(endedAtMs: number, ended = 0): TreeEnd {
  const killed = { ...nothingKilled, pid: ended };
  return { endedAtMs, reason: 'unknown', actor: undefined, killed };
}

/* The command ended, and nobody had the run ended. */
export function isByItself(reason: TerminationReason): boolean {
  return reason === 'exit' || reason === 'signal';
}

/* T4: under `keep` a root that exits by itself settles its run, whatever it left. Else the end of the tree does. */
export function settlesWithRoot(leftovers: LeftoversPolicy, reason: TerminationReason): boolean {
  return leftovers === 'keep' && isByItself(reason);
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
    hostCause: undefined,
    startedAtMs: undefined,
    lastSeenAtMs: undefined,
    durationMs: undefined,
    usage: undefined,
    killed: nothingKilled,
    escapees: 0,
    leftovers: [],
    survivors: [],
    undrainedBytes: 0,
    failure: undefined,
    cursor: cursorAt(0),
    treeEnd: undefined,
    ...rest,
  };
}

/*
 * The stage of a start that never came to a shim: the intent was voided, so it is proven that nothing ran (S1). The caller may
 * ask again without doing anything twice.
 */
export const unclaimedStage = 'unclaimed';

const nothingKilled = { pid: 0, pgid: 0, cgroup: 0 };

/* The tree lives, or nobody wrote down its end: then the root's record is all there is. */
const noEnd = {
  reason: undefined,
  actor: undefined,
  detail: undefined,
  usage: undefined,
  killed: nothingKilled,
  escapees: 0,
  survivors: [],
};

function cursorAt(offset: number): Cursor {
  return formatCursor({ offset, payloadOffset: 0 }) as Cursor;
}

function milliseconds(us: number): number {
  return Math.floor(us / 1000);
}
