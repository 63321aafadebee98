/*
 * Where runs are: on this machine, or at a gateway. Every command about runs is written against this interface and cannot tell
 * the two apart, so that words, ids, JSON and exit codes are the same in both.
 */
import type { RunExtras, ScreenResult } from '@clawdfather/protocol';
import type {
  LeftoversPolicy,
  ManagedRun,
  OwnerLossPolicy,
  RunDetail,
  RunExit,
  RunFilter,
  RunId,
  RunRecord,
  RunState,
  RunUse,
  Stall,
} from '@clawdfather/supervisor';
import type { KeyInput } from '@clawdfather/tools/terminal';
import type { TerminalSize } from '../io/io.ts';
import type { TerminalFeed } from '../terminal/terminal-feed.ts';

/* What commands know of a run. */
export type Run = Pick<
  RunRecord,
  | 'runId'
  | 'sessionId'
  | 'backendId'
  | 'labels'
  | 'mode'
  | 'command'
  | 'cwd'
  | 'pid'
  | 'createdAtMs'
  | 'startedAtMs'
  | 'lastOutputAtMs'
  | 'ownerInstanceId'
  | 'ownerGeneration'
  | 'epoch'
  | 'ownerLoss'
  | 'leftovers'
  | 'deadlines'
  | 'exit'
  | 'treeEndedAtMs'
> & {
  /* `held`: it waits for a decision and has not started. */
  readonly state: RunState | 'held';
  /* What its processes use. Only in a list that was asked for it, while something of the run lives and can be seen. */
  readonly use?: Omit<RunUse, 'hasCommand'>;
};

/* What is asked of one run and not of a list. At an older gateway some of it is not known. */
export type RunDetails = Partial<RunDetail> & {
  readonly shimPid?: number | undefined;
  /* What devices and tokens of a gateway are called, by their ids. */
  readonly names?: Readonly<Record<string, string>>;
};

/* One run to watch, type into and end. */
export type RunHandle = Pick<
  ManagedRun,
  | 'runId'
  | 'wait'
  | 'waitTree'
  | 'output'
  | 'outputLent'
  | 'outputSoFar'
  | 'write'
  | 'end'
  | 'resize'
  | 'signal'
  | 'cancel'
> & { snapshot(): Run };

export type RunQuery = Pick<
  RunFilter,
  'states' | 'sessionId' | 'backendId' | 'labels' | 'idPrefix' | 'limit'
> & {
  /* Also those on other hosts than the place is about. */
  readonly isAnyHost?: boolean;
  /* With what they use: that takes a look at every process of the machine they are on. */
  readonly withUse?: boolean;
};

/* What `clf run` was asked for. */
export interface RunWish {
  readonly argv: readonly [string, ...string[]];
  /* On a terminal of this size; undefined: on pipes. */
  readonly terminal: TerminalSize | undefined;
  readonly stdin: 'open' | 'closed';
  /* As it was typed; undefined: where the caller is, or the gateway's own directory. */
  readonly cwd: string | undefined;
  /* What `-e` says, with values taken from here where only a name was given. */
  readonly envAdditions: Readonly<Record<string, string>>;
  /* `--clean-env`: of this environment only what a login has. */
  readonly isEnvClean: boolean;
  readonly sessionId: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly leftovers: LeftoversPolicy;
  readonly ownerLoss: OwnerLossPolicy;
  readonly extras: RunExtras;
  /* What had the name was ended just now (replace-namesakes.ts); its end may not be on record yet. */
  readonly isReplacing: boolean;
}

export interface PasteResult {
  readonly bytes: number;
  readonly isBracketed: boolean;
}

/* A request that has the id of its run and has not become one. */
export interface HeldRequest {
  readonly runId: string;
  readonly approvalId: string;
  readonly state: 'pending' | 'allowed' | 'denied' | 'expired' | 'changed';
  /* What was another at the start, and the approval that was asked for instead. */
  readonly changed?: string | undefined;
  readonly askedAgainAs?: string | undefined;
}

export interface HeldRequests {
  /* The one whose run's id begins so; undefined if there is none, or several. */
  find(idPrefix: string): Promise<HeldRequest | undefined>;
  /* Those that wait for a person. */
  count(): Promise<number>;
}

export interface Place {
  /* What follows `clf COMMAND` so that it means the same place again: empty, or ` -g NAME`. */
  readonly flag: string;
  /* The gateway's name; undefined: this machine. */
  readonly gateway: string | undefined;
  /* The host that the command is about, as it was typed; undefined: all of them. */
  readonly host: string | undefined;
  /* Directories of runs of which there is no record: their registry was lost. */
  unrecorded(): Promise<readonly string[]>;
  /* Newest first. */
  list(query: RunQuery): Promise<readonly Run[]>;
  /* What waits for a decision and is in no list of this place. Absent where lists have it, as at a gateway. */
  readonly held?: HeldRequests;
  /* Those of these that stand still because their output cannot be kept (J4). */
  stalls(runs: readonly Run[]): Promise<ReadonlyMap<RunId, Stall>>;
  details(run: Run): Promise<RunDetails>;
  /*
   * For runs that were listed with their use. Where a run's processes are gone and no end is recorded, records it. True: the list
   * is out of date.
   */
  settle(runs: readonly Run[]): Promise<boolean>;
  /* Throws when nothing was started. `signal` takes the start back. */
  start(wish: RunWish, signal: AbortSignal): Promise<RunHandle>;
  open(run: Run): Promise<RunHandle>;
  /* Ends the run and all that it started; throws `run-still-alive` when something could not be ended. */
  end(run: Run, graceMs: number | undefined): Promise<RunExit>;
  /* Only sends it, and says who did. */
  signal(run: Run, name: NodeJS.Signals): Promise<void>;
  /* Of one that lives only when it may be ended first. */
  remove(run: Run, options: { readonly isForced: boolean }): Promise<void>;
  /* All of them are removed: time to clear away. */
  removed(options: { readonly isForced: boolean }): Promise<void>;
  screen(run: Run): Promise<ScreenResult>;
  /* How many bytes were typed. */
  sendKeys(run: Run, keys: KeyInput): Promise<number>;
  paste(run: Run, text: string): Promise<PasteResult>;
  resize(run: Run, size: TerminalSize): Promise<void>;
  sendInput(run: Run, bytes: Uint8Array, options: { readonly isEof: boolean }): Promise<void>;
  /* A terminal for the person here. `isFresh`: the run has just been started, and its screen is empty. */
  openTerminal(handle: RunHandle, options: OpenTerminalOptions): Promise<TerminalFeed>;
}

export interface OpenTerminalOptions {
  readonly isFresh: boolean;
  /* Of the terminal here, now. */
  readonly size: () => TerminalSize;
  readonly signal: AbortSignal;
  /* The connection was lost; a `repaint` comes when there is one again. */
  readonly onLost: () => void;
}
