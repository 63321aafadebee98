/*
 * What a supervisor asks for: the typed form of the SPAWN message.
 *
 * Plain data, made by the supervisor after it has decided everything: nothing
 * here has a default, and nothing of the caller's process is inherited (S4).
 */
import type { GrantAccess, JournalMode, LeftoversPolicy } from './constants.ts';
import type { OwnerLossPolicy, StdinKind } from './constants.ts';

/* O1: who owns the run at its start. */
export interface OwnerIdentity {
  readonly instance: string;
  readonly generation: number;
  readonly pid: number;
  readonly startTicks: number;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export interface ResourceLimit {
  /* Linux's number, RLIMIT_NOFILE is 7. */
  readonly resource: number;
  readonly soft: number | 'unlimited';
  readonly hard: number | 'unlimited';
}

export interface SpawnUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

export interface JournalRequest {
  readonly mode: JournalMode;
  readonly bytesMax: number;
  readonly segmentBytes: number;
}

/* E4: enforced by a delegated cgroup v2 directory. */
export interface CgroupRequest {
  readonly path: string;
  readonly memoryBytesMax: number | undefined;
  readonly processesMax: number | undefined;
}

/* How fast output is journalled: one bucket for all runs that name the same file. */
export interface RateRequest {
  /* Absolute; the shim makes it. */
  readonly file: string;
  readonly bytesPerSecond: number;
  readonly burstBytes: number;
}

/* A file, or a directory with all that is below it. */
export interface Grant {
  readonly path: string;
  /* `execute` and `write` are to read as well; `write` is about files that are there, such as devices. */
  readonly access: GrantAccess;
  /* May be missing, and may be a link. One that must be there has no link in its path, or the run does not start. */
  readonly isOptional: boolean;
}

/* What the command and all that it starts may reach; the kernel refuses the rest (Landlock), or nothing starts. */
export interface Confinement {
  readonly grants: readonly Grant[];
}

export interface SpawnRequest {
  /* Absolute; made before, and empty: that is the intent (S1). */
  readonly runDir: string;
  readonly runId: string;
  readonly cookie: Uint8Array;
  /* What a rebuild of the registry needs, opaque to the shim. */
  readonly meta: Uint8Array;
  readonly epoch: number;
  readonly owner: OwnerIdentity;
  readonly argv: readonly [string, ...string[]];
  /* The path to execute; absent: argv[0], searched in the environment's PATH. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /* Absent: pipes. */
  readonly pty?: TerminalSize | undefined;
  readonly stdin: StdinKind;
  readonly umask?: number | undefined;
  readonly nice?: number | undefined;
  readonly rlimits?: readonly ResourceLimit[] | undefined;
  readonly user?: SpawnUser | undefined;
  readonly cgroup?: CgroupRequest | undefined;
  /* T9: a deadline, or none said on purpose. */
  readonly overallMs: number | undefined;
  readonly noOutputMs: number | undefined;
  readonly graceMs: number;
  readonly killMs: number;
  /* S2: the limit for reaching `exec`. */
  readonly startMs: number;
  readonly ownerLoss: OwnerLossPolicy;
  /* How long after the owner's death `kill` waits for a claim. */
  readonly leaseMs: number;
  readonly leftovers: LeftoversPolicy;
  readonly journal: JournalRequest;
  readonly oomScoreAdj?: number | undefined;
  /* Absent: as fast as it comes. */
  readonly rate?: RateRequest | undefined;
  /* Absent: all that its user may reach. */
  readonly confine?: Confinement | undefined;
}
