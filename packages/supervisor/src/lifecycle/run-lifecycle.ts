/*
 * The words of one run's lifecycle: its states, what can happen to it, and what
 * has to be done about it. Types only; `next-run.ts` holds the transition.
 *
 * Each state owns exactly the data that is known in it. `exiting` exists with
 * and without a process: a cancel may come before the shim has reported one.
 */
import type { RunExit, TreeEnd } from '../run-end.ts';
import type { CancelReason, LeftoversPolicy, TerminationReason } from '../types.ts';

/** What the shim reported when `exec` had succeeded; the evidence of O5. */
export interface StartedProcess {
  readonly pid: number;
  readonly processGroupId: number;
  readonly startTicks: number;
  readonly shimPid: number;
  readonly shimStartTicks: number;
  readonly runDirDev: number;
  readonly runDirIno: number;
  /** Undefined: its shim is of an older version and does not say. */
  readonly startedAtMs: number | undefined;
}

/** The first reason that was given, and who gave it. */
export interface ExitCause {
  readonly reason: TerminationReason;
  readonly actor: string | undefined;
}

export type RunLifecycle =
  | {
      readonly kind: 'starting';
      readonly leftovers: LeftoversPolicy;
      /** Set between the shim's report and the registry's commit. */
      readonly process: StartedProcess | undefined;
    }
  | {
      readonly kind: 'running';
      readonly leftovers: LeftoversPolicy;
      readonly process: StartedProcess;
    }
  | {
      readonly kind: 'exiting';
      readonly leftovers: LeftoversPolicy;
      readonly process: StartedProcess | undefined;
      readonly cause: ExitCause;
    }
  | {
      readonly kind: 'exited';
      readonly exit: RunExit;
      /** False while the shim still holds leftovers (T4 `keep`) or survivors (T1). */
      readonly isTreeGone: boolean;
    };

export type RunEvent =
  /** The shim has started the command. */
  | { readonly type: 'spawned'; readonly process: StartedProcess }
  /** The registry holds what the shim reported. */
  | { readonly type: 'committed' }
  /** A person, an abort signal or a replacement wants it gone. */
  | {
      readonly type: 'cancel-requested';
      readonly reason: CancelReason;
      readonly actor: string | undefined;
    }
  /** The shim says it is ending the run: a deadline, owner loss, or another process asked for it. */
  | { readonly type: 'terminating'; readonly cause: ExitCause }
  /** Nothing was started, and nothing will be. */
  | { readonly type: 'spawn-failed'; readonly exit: RunExit }
  /** The intent was voided before the shim claimed it (S1). */
  | { readonly type: 'voided'; readonly exit: RunExit }
  /** The root is gone, the tree is not (yet). */
  | { readonly type: 'root-exited'; readonly exit: RunExit }
  /** The tree is gone, or (`isTreeGone` false) given up on with survivors listed. */
  | { readonly type: 'ended'; readonly exit: RunExit; readonly isTreeGone: boolean }
  /** The shim died without an end record; what became of the tree is in `exit`. */
  | { readonly type: 'shim-lost'; readonly exit: RunExit; readonly isTreeGone: boolean }
  /** Reconciliation found how it ended, or that it cannot be known. */
  | { readonly type: 'reconciled'; readonly exit: RunExit; readonly isTreeGone: boolean };

/** What the caller must do after a transition, in this order. */
export type RunAction =
  /** Commit the process to the registry, then say `committed`. */
  | { readonly type: 'commit-process'; readonly process: StartedProcess }
  /** Commit that the run is on its way out. */
  | { readonly type: 'commit-exiting'; readonly cause: ExitCause }
  /** Win or lose the intent against the shim (S1), then say `voided` if won. */
  | { readonly type: 'void-intent' }
  /** Send TERMINATE; the shim has the ladder and the clock (T2, T5). */
  | { readonly type: 'terminate'; readonly cause: ExitCause }
  /** Commit the exit, then settle every `wait`. Happens once in a run's life. */
  | { readonly type: 'finalise'; readonly exit: RunExit; readonly isTreeGone: boolean }
  /** Commit that leftovers or survivors are gone too, and how. Happens at most once. */
  | { readonly type: 'commit-tree-gone'; readonly treeEnd: TreeEnd | undefined };

export interface RunTransition {
  readonly state: RunLifecycle;
  readonly actions: readonly RunAction[];
  /** For the log: what happened, or why the event changed nothing. */
  readonly why: string;
}
