/*
 * The words of an end: how a run ended, what was killed, and what was left. Types only; invariants are cited where a type exists because of one.
 */
import type { TerminationReason } from '@clawdfather/shim';
import type { Cursor, RunId } from './types.ts';

/** What was killed and how, as the shim counted it (T2). */
export interface KillCount {
  readonly pid: number;
  readonly pgid: number;
  readonly cgroup: number;
}

export interface ProcessNote {
  readonly pid: number;
  readonly startTicks: number;
  readonly comm: string;
}

export interface ResourceUse {
  readonly userUs: number;
  readonly systemUs: number;
  readonly maxRssBytes: number;
  readonly readBytes: number;
  readonly writeBytes: number;
}

/** How the last of a run's processes ended: with the run, or later than it (T1, T4). */
export interface TreeEnd {
  readonly endedAtMs: number;
  readonly reason: TerminationReason;
  /** Who had what was left ended; absent when it ended by itself, or nobody saw it. */
  readonly actor: string | undefined;
  readonly killed: KillCount;
}

export interface StartFailure {
  readonly stage: string;
  readonly errno: number;
}

/** What those who carry a run know of its end, and the run does not. */
export interface ExitExplanation {
  readonly hostCause: string;
  /** One sentence. */
  readonly detail: string;
}

/** How a run ended. `code` and `signal` are the root's and always stand (T4). */
export interface RunExit {
  readonly runId: RunId;
  readonly reason: TerminationReason;
  readonly code: number | undefined;
  readonly signal: string | undefined;
  readonly coreDumped: boolean;
  /** Who asked, or sent the signal that it died of: `deadline`, `cli:ann (pts/3)`, an instance id; absent when nobody of ours did. */
  readonly actor: string | undefined;
  /** One sentence of evidence: an errno with its stage, what reconciliation saw. */
  readonly detail: string | undefined;
  /** Of a command on a host: why its connection was lost or taken away (docs/ssh.md); absent when it was not. */
  readonly hostCause: string | undefined;
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number;
  /** Set when nobody saw the end: the last sign of life. It ended after this, and no later than `endedAtMs`. */
  readonly lastSeenAtMs: number | undefined;
  readonly durationMs: number | undefined;
  readonly usage: ResourceUse | undefined;
  readonly killed: KillCount;
  readonly escapees: number;
  readonly leftovers: readonly ProcessNote[];
  readonly survivors: readonly ProcessNote[];
  /** Output that was never saved: the disk took nothing until the run was ended (J4). */
  readonly undrainedBytes: number;
  /** Of a spawn that failed: at which stage, with which errno. */
  readonly failure: StartFailure | undefined;
  /** Position after the last byte of output known at settlement. */
  readonly cursor: Cursor;
  /** Absent while something of it lives. */
  readonly treeEnd: TreeEnd | undefined;
}
