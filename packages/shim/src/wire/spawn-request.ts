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

/* As stat has it, in 64 bits each. */
export interface DirectoryId {
  readonly device: bigint;
  readonly inode: bigint;
}

/*
 * One change of what a shielded command sees. In order; a path is absolute, without links, and may be missing.
 *   hide       an empty place, or an empty file, is there instead
 *   read-only  it cannot be changed, nor can what lies below
 *   pin        it stays as it is, and can be neither renamed nor removed
 *   keep       it is there as it was before the first step, also below what was hidden
 *   replace    the directory `source` is there instead, as it was before the first step
 *   link       a symbolic link, below what was hidden
 *   terminals  a directory of terminals in which only those of shielded commands are
 */
export type ShieldStep =
  | {
      readonly kind: 'hide' | 'read-only' | 'pin' | 'keep' | 'terminals';
      readonly path: string;
    }
  | { readonly kind: 'replace'; readonly path: string; readonly source: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/* What surrounds a command and all that it starts. What is asked for and cannot be had is a command that does not start. */
export interface ShieldRequest {
  /* A mount namespace that differs by these steps; undefined: the machine's own. */
  readonly steps: readonly ShieldStep[] | undefined;
  /* Only with steps: where it is another text than before, the namespace is made anew. */
  readonly mark?: string | undefined;
  /* A Landlock domain: no process outside can be looked into, signalled or reached by an abstract socket. */
  readonly hasDomain: boolean;
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
  /* Which directory `cwd` has to be when it is entered; absent: whichever it is. */
  readonly cwdId?: DirectoryId | undefined;
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
  /* Absent: none. */
  readonly shield?: ShieldRequest | undefined;
}
