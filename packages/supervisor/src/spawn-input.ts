/*
 * The words of a start: everything that can be asked for. Types only; invariants are cited where a type exists because of one.
 */
import type {
  Confinement,
  DirectoryId,
  LeftoversPolicy,
  OwnerLossPolicy,
  ShieldRequest,
} from '@clawdfather/shim';

/** Limits the kernel enforces. `memoryBytes` and `processes` need a delegated cgroup (E4). */
export interface RunLimits {
  /** One number is both limits; a caller that passes its own on has two (S3). */
  readonly openFiles?: number | LimitPair;
  readonly cpuSeconds?: number;
  readonly fileBytes?: number;
  readonly memoryBytes?: number;
  readonly processes?: number;
}

/** What a process may raise its limit to, and where that stands at the start. */
export interface LimitPair {
  readonly soft: number;
  readonly hard: number;
}

export interface RunAs {
  readonly uid: number;
  readonly gid: number;
  readonly groups?: readonly number[];
}

export interface JournalPolicy {
  /** `ring` drops the oldest, readers see a gap; `hold` blocks the child until consumed (J3). */
  readonly mode: 'ring' | 'hold';
  readonly bytesMax: number;
}

/** How fast output is journalled: one bucket for all runs of a key. A command that writes faster waits, as behind a slow reader. */
export interface OutputRate {
  /** Of a file name: lower-case letters, digits and dashes. */
  readonly key: string;
  readonly bytesPerSecond: number;
  readonly burstBytes: number;
}

interface SpawnCommon {
  /** Spawning the same id twice is one run (S1). Made here when absent. */
  readonly runId?: string;
  /** In the environment of all its processes; of a caller that has written a lease of its own first. Made here when absent. */
  readonly leaseId?: string;
  readonly sessionId: string;
  readonly backendId: string;
  /** Opaque to us, filterable; an account id, say. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What people are shown as its command. Default: what is started. */
  readonly shownAs?: string;
  /** At most one live run per scope key. */
  readonly scopeKey?: string;
  readonly replaceExisting?: boolean;
  /** With `replaceExisting`: a person accepts that the old run could not be verified (O7). */
  readonly force?: boolean;
  readonly cwd: string;
  /** Which directory it has to be when it is entered, or nothing starts. Default: whichever it is. */
  readonly cwdId?: DirectoryId;
  /** The whole environment of the command; nothing is inherited (S4). */
  readonly env: Readonly<Record<string, string>>;
  /** T9: a deadline, or `undefined` said on purpose. */
  readonly overallTimeoutMs: number | undefined;
  readonly noOutputTimeoutMs?: number;
  readonly graceMs?: number;
  readonly ownerLoss?: OwnerLossPolicy;
  /** Default `fail`. */
  readonly leftovers?: LeftoversPolicy;
  readonly limits?: RunLimits;
  readonly nice?: number;
  readonly umask?: number;
  readonly runAs?: RunAs;
  readonly journal?: JournalPolicy;
  /** Default: as fast as it comes. */
  readonly outputRate?: OutputRate | undefined;
  /** Default: all that its user may reach. Where the kernel cannot, nothing starts. */
  readonly confine?: Confinement;
  /** Default: none. What is asked for and cannot be had is a start that fails. */
  readonly shield?: ShieldRequest;
  readonly signal?: AbortSignal;
}

/** A program and its arguments, run without a shell, on pipes. */
export interface ChildInput extends SpawnCommon {
  readonly mode: 'child';
  readonly argv: readonly [string, ...string[]];
  /** `open` (default) stays writable; `closed` is /dev/null. */
  readonly stdin?: 'open' | 'closed';
}

/** A command line handed verbatim to a shell on a terminal; never rebuilt from argv. */
export interface PtyInput extends SpawnCommon {
  readonly mode: 'pty';
  readonly ptyCommand: string;
  /** Default `/bin/sh`. */
  readonly shell?: string;
  readonly cols?: number;
  readonly rows?: number;
}

/** A program and its arguments, run without a shell, on a terminal. */
export interface PtyArgvInput extends SpawnCommon {
  readonly mode: 'pty-argv';
  readonly argv: readonly [string, ...string[]];
  readonly cols?: number;
  readonly rows?: number;
}

export type SpawnInput = ChildInput | PtyInput | PtyArgvInput;
