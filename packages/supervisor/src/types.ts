/**
 * The words of the supervisor: what a run is, and what can be done with it. What can be asked for at its start is in spawn-input.ts, how it
 * ends in run-end.ts.
 *
 * Types only: with those two, a reader learns the vocabulary of the package. Invariants (docs/invariants.md) are cited where a type exists
 * because of one.
 */
import type { SupervisorError } from './errors.ts';
import type { Brand } from '@clawdfather/kit';
import type {
  Confinement,
  LeftoversPolicy,
  OwnerLossPolicy,
  TerminationReason,
} from '@clawdfather/shim';
import type { ProcessEvidence } from './evidence/process-evidence.ts';
import type { OwnerRecord } from './registry/owners.ts';
import type { Stall } from './run/output/stall.ts';
import type { LastOutput, LastOutputStart } from './run/output/last-output.ts';
import type { Breathe, OutputTail } from './run/output/output-looks.ts';
import type { RunDetail } from './run/records/run-detail.ts';
import type { RunUse } from './use/read-uses.ts';
import type { GarbageOptions, GarbageReport } from './retention/collect-garbage.ts';
import type { ExitExplanation, RunExit, TreeEnd } from './run-end.ts';
import type { SpawnInput } from './spawn-input.ts';

export type RunId = Brand<string, 'RunId'>;

/** A position in a run's journal; opaque to callers, valid for ever (J2). */
export type Cursor = Brand<string, 'Cursor'>;

/** Drawn in docs/lifecycles.md. */
export type RunState = 'starting' | 'running' | 'exiting' | 'exited';

/** T3: one list of causes, everywhere: the shim's. The first cause wins. */
export type { TerminationReason };

/** Reasons a caller may give; the others are facts, not requests. */
export type CancelReason = Extract<
  TerminationReason,
  'manual-cancel' | 'overall-timeout' | 'no-output-timeout' | 'owner-lost'
>;

/** T9 and T4. */
export type { LeftoversPolicy, OwnerLossPolicy };

/** What a command may reach, enforced by the kernel. */
export type { Confinement };

/** What the registry knows of a run. */
export interface RunRecord {
  readonly runId: RunId;
  readonly sessionId: string;
  readonly backendId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly scopeKey: string | undefined;
  readonly state: RunState;
  readonly mode: SpawnInput['mode'];
  /** For people: what was started. */
  readonly command: string;
  readonly cwd: string;
  readonly pid: number | undefined;
  readonly processGroupId: number | undefined;
  /** The job object that will hold the tree on Windows; always undefined on POSIX. */
  readonly jobId: string | undefined;
  readonly startTicks: number | undefined;
  readonly bootId: string;
  readonly pidNamespace: number;
  readonly shimPid: number | undefined;
  readonly shimStartTicks: number | undefined;
  readonly runDirDev: number | undefined;
  readonly runDirIno: number | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly startedAtMs: number | undefined;
  readonly lastOutputAtMs: number | undefined;
  readonly ownerInstanceId: string;
  readonly ownerGeneration: number;
  readonly leaseId: string;
  /** The owner's lease (O1), monotonic milliseconds of `bootId`. */
  readonly leaseExpiresAtMs: number;
  readonly epoch: number;
  readonly ownerLoss: OwnerLossPolicy;
  readonly leftovers: LeftoversPolicy;
  readonly deadlines: {
    readonly overallMs: number | undefined;
    readonly noOutputMs: number | undefined;
  };
  readonly exit: RunExit | undefined;
  /** When the whole tree was gone; absent while the shim still holds leftovers or survivors (T1, T4). */
  readonly treeEndedAtMs: number | undefined;
  /** Size of the journal when the run settled; what retention counts. */
  readonly journalBytes: number | undefined;
  /** Set when the user asked for it to be forgotten; kept until gc. */
  readonly removedAtMs: number | undefined;
}

/** One piece of what a run said, in journal order. */
export type OutputEvent =
  | {
      readonly kind: 'output';
      readonly stream: 'stdout' | 'stderr';
      readonly bytes: Uint8Array;
      readonly atMs: number;
      /** Position after these bytes. */
      readonly cursor: Cursor;
    }
  | { readonly kind: 'gap'; readonly missedBytes: number; readonly cursor: Cursor }
  /* The journal was cut, deleted or altered: so many of its bytes are not what was written. Reading goes on at the cursor. */
  | { readonly kind: 'damaged'; readonly missedBytes: number; readonly cursor: Cursor }
  /* The journal ends without its end. So many bytes were written and are not there; 0: that is not known. */
  | { readonly kind: 'tail-lost'; readonly missedBytes: number; readonly cursor: Cursor }
  | {
      readonly kind: 'resize';
      readonly cols: number;
      readonly rows: number;
      readonly cursor: Cursor;
    }
  | {
      readonly kind: 'attached';
      /* How many there are now. */
      readonly terminals: number;
      /* The place of the one that left, if one did. Those behind it move up. */
      readonly left?: number;
      readonly cursor: Cursor;
    };

/** What the shim has taken of the input, in journal order: all below the offset (I1). */
export interface AcceptedEvent {
  readonly kind: 'accepted';
  readonly inputOffset: number;
  readonly atMs: number;
  readonly cursor: Cursor;
}

export interface WriteOptions {
  /** Committed to the outbox first and resent after a crash: delivered once (I1). Default false. */
  readonly durable?: boolean;
  /**
   * Where these bytes belong in the run's input. What was committed there before is not taken again, so a caller that does
   * not know whether it was heard says the same again; a hole is refused (`input-gap`). Durable, and anybody's:
   * the outbox is the run's, not its owner's (O4).
   */
  readonly offset?: number;
}

/** A live handle on a run. Everything is idempotent after the end. */
export interface ManagedRun {
  readonly runId: RunId;
  readonly pid: number;
  /** Aborts when the run begins to end, for whatever cause; no clock of its own (T5). */
  readonly ending: AbortSignal;
  /** Settles once: on the tree's end, or on the root's exit under `keep`. */
  wait(signal?: AbortSignal): Promise<RunExit>;
  /** All output from a cursor (default: the beginning), ending after settlement. */
  output(cursor?: Cursor, signal?: AbortSignal): AsyncIterable<OutputEvent>;
  /** As `output` for floods: bytes are yours only until you ask for the next event. Five times cheaper per GB. */
  outputLent(cursor?: Cursor, signal?: AbortSignal): AsyncIterable<OutputEvent>;
  /** As `output`, but only what is there now. */
  outputSoFar(cursor?: Cursor, signal?: AbortSignal): AsyncIterable<OutputEvent>;
  /** As `output`, with what was accepted of the input in between: for a program that holds a conversation with the run. */
  transcript(cursor?: Cursor, signal?: AbortSignal): AsyncIterable<OutputEvent | AcceptedEvent>;
  /** Resolves when nothing of the run lives any more, with how: later than `wait` under `keep`, and with survivors (T1, T4). */
  waitTree(signal?: AbortSignal): Promise<TreeEnd | undefined>;
  /** Resolves when the shim has accepted the bytes; backpressured. */
  write(data: string | Uint8Array, options?: WriteOptions): Promise<void>;
  /**
   * All before this cursor is stored: a journal that is held (J3) may drop it. The owner's alone; elsewhere it changes
   * nothing that anybody can see.
   */
  acknowledge(cursor: Cursor): Promise<void>;
  /** Half-close: end of input. After the bytes below `offset`, which the shim has to have; asking twice is harmless. */
  end(offset?: number): Promise<void>;
  /** The run's own size from now on (Z2). */
  resize(size: TerminalSize): Promise<void>;
  /** A size until the hold is closed or this process is gone; then the terminal has the former one again (Z1). */
  holdSize(size: TerminalSize): Promise<SizeHold>;
  /** If the command dies of it, `actor` is the actor of its exit (T3). */
  signal(name: NodeJS.Signals, actor?: string): Promise<void>;
  /** `graceMs` from SIGTERM to SIGKILL, else the run's own. Asking again with less is heard. */
  cancel(reason?: CancelReason, actor?: string, graceMs?: number): Promise<void>;
  /** Tells the shim that a terminal is attached, until it is closed (E8). */
  openTerminal(): Promise<TerminalRole>;
  snapshot(): RunRecord;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export interface SizeHold {
  /** Another size; it is the newest wish again. */
  resize(size: TerminalSize): Promise<void>;
  close(): Promise<void>;
}

/** `answerer`: this terminal, and no other, answers the program's queries. */
export interface TerminalRole {
  readonly answerer: boolean;
  /** Among the attached terminals, from 1: the first answers. It falls by one when a terminal before it leaves. */
  readonly place: number;
  /** The position right after our `attached` event: from here on the role counts. */
  readonly cursor: Cursor;
  /** The size of the run's terminal while this one is attached (Z1). */
  resize(size: TerminalSize): Promise<void>;
  close(): Promise<void>;
}

export interface RunFilter {
  readonly states?: readonly RunState[];
  readonly sessionId?: string;
  readonly backendId?: string;
  /** All but those of this backend. */
  readonly exceptBackendId?: string;
  readonly scopeKey?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ownerInstanceId?: string;
  /** A unique prefix of the id. */
  readonly idPrefix?: string;
  readonly includeRemoved?: boolean;
  /** Only those of which something lives: the command, or what it left behind (T4). */
  readonly hasTree?: true;
  /** Beside the rest, one of these fits: the runs of several labels, say. */
  readonly anyOf?: readonly RunKind[];
  readonly limit?: number;
  /** So many of the newest are left out. */
  readonly offset?: number;
}

export type RunKind = Pick<RunFilter, 'sessionId' | 'backendId' | 'labels'>;

/** One line of reconciliation: what was decided for a run and on what evidence. */
export interface ReconcileDecision {
  readonly runId: RunId;
  readonly decision:
    | 'continue'
    | 'adopted'
    | 'terminated'
    | 'finalised'
    | 'stale'
    | 'voided'
    | 'foreign-healthy'
    | 'unverifiable';
  readonly why: string;
  readonly evidence: Readonly<Record<string, string | number | boolean>>;
}

export interface Supervisor {
  readonly instanceId: string;
  readonly generation: number;
  /** Why nothing can be written, if it only looks; such a one starts and adopts nothing. */
  readonly unwritable: SupervisorError | undefined;
  spawn(input: SpawnInput): Promise<ManagedRun>;
  cancel(runId: RunId, reason?: CancelReason, actor?: string): Promise<void>;
  /** A handle on any run of this user, ours or not; the operator's commands work (O4). */
  attach(runId: RunId, cursor?: Cursor): Promise<ManagedRun>;
  list(filter?: RunFilter): readonly RunRecord[];
  /** How many there are, whatever `limit` and `offset` say. */
  count(filter?: RunFilter): number;
  get(runId: RunId): RunRecord | undefined;
  /** What can be seen of the process that has this pid now. It decides nothing. */
  examine(pid: number): ProcessEvidence;
  /** Those of these runs that stand still because their output cannot be kept, and why (J4). */
  stalls(records: readonly RunRecord[]): Promise<ReadonlyMap<RunId, Stall>>;
  /** What takes a look at its journal, so it is for one run and not for lists. */
  detail(record: RunRecord): RunDetail;
  /** Where to read from for the last so many bytes of its output, or for those before a cursor. */
  lastOutput(record: RunRecord, want: LastOutput): Promise<LastOutputStart>;
  /** The last KiB of its output, and when it was said; undefined: nothing. For lists: what was looked at once is not looked at again. */
  outputTail(record: RunRecord, breathe?: Breathe): Promise<OutputTail | undefined>;
  /** What those of these runs use of which something lives, from one scan of the host's processes. */
  uses(records: readonly RunRecord[]): ReadonlyMap<RunId, RunUse>;
  /** Where the next durable input of a run goes (I1); what is typed is not counted. */
  inputOffset(runId: RunId): number;
  /** For a run that ended before its end could be explained; what is said first stays. */
  explain(runId: RunId, explanation: ExitExplanation): Promise<void>;
  reconcile(): Promise<readonly ReconcileDecision[]>;
  /** All owners that are known, dead ones too, as long as runs of theirs are. */
  owners(): readonly OwnerRecord[];
  /** Hides a run from lists; its files go with the next gc. A live run goes on. */
  remove(runId: RunId): Promise<void>;
  /** Retention, and why each run goes or stays. */
  gc(options?: GarbageOptions): Promise<GarbageReport>;
  /** Lets go of everything and touches no run. */
  close(): Promise<void>;
}
