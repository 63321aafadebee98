/*
 * A thread as it is stored: the conversation, its turns, the agent that answers, and what we and the agent have asked each other.
 *
 * Every change of a thread is a pure function from these rows to the next ones (decide/). The store writes the rows that are new and
 * compares the thread's version in the same transaction: a decision that was made on rows that are not the newest is made again.
 * So there is one order of all changes of a thread, whichever processes make them.
 */
import type { Cursor, RunId } from '@clawdfather/supervisor';
import type { Choice, Chosen, CurrentChoice } from './choices/choice.ts';
import type { Setting } from './choices/next-setting.ts';
import type { LaneClaim } from './queue/lanes.ts';
import type { Json, JsonObject, WireId } from './wire/json-rpc.ts';
import type { TurnCode, TurnStatus } from './turn/next-turn.ts';
import type { ArtifactRow, ArtifactSyncRow } from './artifacts/artifact-rows.ts';

export type ThreadStatus = 'ready' | 'queued' | 'running' | 'archived';

export interface ThreadRow {
  readonly id: string;
  /* Grows with every change of any row of the thread. */
  readonly version: number;
  /* Name of the agent, as in the settings. */
  readonly agent: string;
  /* Absent: on the gateway's own machine. */
  readonly connectionId?: string | undefined;
  readonly cwd: string;
  readonly title: string;
  readonly status: ThreadStatus;
  /* The session lease that its agent runs in; absent while it has none. */
  readonly sessionId?: string | undefined;
  /* The number of its newest event. */
  readonly lastSeq: number;
  readonly lastTurnId?: string | undefined;
  readonly lastResultCode?: TurnCode | undefined;
  /* What the agent calls this conversation; it outlives the agent's process. */
  readonly nativeSessionId?: string | undefined;
  /* What a person wants of its agent (decide/choosing.ts); absent: nothing but what the agent takes itself. */
  readonly chosen?: Chosen | undefined;
  /* As the agent last said it. */
  readonly currentChoices?: readonly CurrentChoice[] | undefined;
  /* How its agent is spoken to, and whose it is (session-owner.ts). */
  readonly backend: string;
  readonly ownerId: string;
  readonly spawnedBy?: string | undefined;
  readonly parentId?: string | undefined;
  /* Its parent, the parent of that, and so on, the first one first. Nobody is above a thread that a person began. */
  readonly ancestors: readonly string[];
  /* The first of them. */
  readonly rootId?: string | undefined;
  /* The gateway that made it. */
  readonly instanceId: string;
  /* Its agent runs here, and works on this host through the SSH session that it was started in. */
  readonly viaConnectionId?: string | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /* Up to which event a person has looked, when it was read. No change of a thread moves it. */
  readonly seenSeq?: number | undefined;
  /* Since when a person has it pinned; moved by no change of a thread, either. */
  readonly pinnedAtMs?: number | undefined;
}

export interface TurnRow {
  readonly id: string;
  readonly status: TurnStatus;
  /* ACP content blocks. */
  readonly prompt: readonly JsonObject[];
  readonly loadClass: LoadClass;
  /* Where it is expected to leave files, below the thread's directory; absent: the usual ones. */
  readonly artifactDirs?: readonly string[] | undefined;
  /* Who asked, such as `device:ID`. */
  readonly requester: string;
  readonly clientMessageId?: string | undefined;
  /* Of what was asked under that id. What is edited later does not change it. Absent: nothing is compared. */
  readonly messageHash?: string | undefined;
  /* Its place in the traces, as the gateway that took it in has written it. */
  readonly trace?: string | undefined;
  /* The thread that asked for it, where that is to be told of its end. */
  readonly wakeId?: string | undefined;
  readonly runId?: RunId | undefined;
  /* Our call that carries the prompt, from the moment that it is committed to be sent (X2). */
  readonly promptCall?: number | undefined;
  /* Where the prompt ends in the agent's input: what the shim has of it was sent (W11). */
  readonly promptEnd?: number | undefined;
  /* How often it was put back because its agent died before it had the prompt. */
  readonly requeuedCount: number;
  readonly cancelAskedAtMs?: number | undefined;
  readonly cancelCause?: CancelCause | undefined;
  readonly cancelActor?: string | undefined;
  readonly usage?: JsonObject | undefined;
  readonly result?: TurnResult | undefined;
  /* The host of its agent cannot be reached, and is tried again (decide/reaching.ts). */
  readonly reaching?: Reaching | undefined;
  /* When the agent first said or did something for it. */
  readonly firstOutputAtMs?: number | undefined;
  readonly queuedAtMs: number;
  /* Its place in the queue of its account (queue/queue-order.ts). Higher comes first; 0 is usual. */
  readonly priority: number;
  readonly queueKey: number;
  /* It does not run before this time. */
  readonly notBeforeMs?: number | undefined;
  /* Since when nothing of its own thread holds it up: it is the first there, and none runs. Absent otherwise. */
  readonly readyAtMs?: number | undefined;
  /* The gateway that has admitted it, in whose lane it is. */
  readonly instanceId?: string | undefined;
  readonly startedAtMs?: number | undefined;
  readonly deadlineAtMs?: number | undefined;
  readonly endedAtMs?: number | undefined;
}

/* What came of telling a thread that a turn has ended. */
export type WakeOutcome = 'woken' | 'archived' | 'gone';

export type LoadClass = 'short_task' | 'long_task' | 'complex_chain_task';
export type CancelCause = 'asked' | 'deadline' | 'closed';

export interface TurnResult {
  readonly code: TurnCode;
  readonly stopReason?: string | undefined;
  /* For people. */
  readonly message?: string | undefined;
  /*
   * Why its agent ended, where that ended it: a reason of runs, or the cause of a lost connection to a host (docs/ssh.md). Of one that
   * never ran `queue_timeout`, or the code of the limit that left no room for its agent. Of one that was not prompted because the
   * agent does not work as was chosen, `choice-not-set`.
   */
  readonly cause?: string | undefined;
}

export interface Reaching {
  /* Of the connection that did not come about (docs/ssh.md). */
  readonly cause: string;
  /* For people: what does not answer. */
  readonly message: string;
  readonly sinceMs: number;
  readonly tries: number;
  readonly nextAtMs: number;
}

/* Drawn in docs/lifecycles.md. */
export type LeaseState = 'open' | 'closing' | 'closed' | 'lost';

/*
 * How far the handshake is (W8). Each phase but `starting`, `ready`, `failed` and `once` waits for the answer to one call, which is stored in
 * the same transaction as the phase, so no step is taken twice.
 */
export type RunPhase =
  | 'starting'
  | 'initializing'
  | 'authenticating'
  | 'resuming'
  | 'loading'
  | 'creating'
  | 'ready'
  | 'failed'
  /* It speaks no protocol: it was started with the prompt of one turn, and ends with it. */
  | 'once';

/* The process that answers, and the lease under which we hold it. Written before it is started; `process` follows. */
export interface AgentRunRow {
  readonly runId: RunId;
  readonly leaseId: string;
  readonly instanceId: string;
  /* Of the run, as its owner holds it: a writer with an older one is refused (O3). */
  readonly epoch: number;
  /* The start of the gateway, counted by its supervisor, that last saw it alive. */
  readonly seenBy?: number | undefined;
  readonly state: LeaseState;
  readonly phase: RunPhase;
  readonly commandHash: string;
  /* What is started: its file, and the directory that it has to stay in. */
  readonly programRoot: string;
  readonly programPath: string;
  readonly process?: AgentProcess | undefined;
  /* Why it is being ended, from the moment that this is decided. */
  readonly closing?: Closing | undefined;
  /* Everything before it was turned into rows. */
  readonly cursor: Cursor;
  /* By the journal: the shim has our input up to here. */
  readonly acceptedInput: number;
  readonly nextCallId: number;
  readonly nextInputOffset: number;
  readonly capabilities?: AgentCapabilities | undefined;
  /* What its session offers: until it has said so, what its agent offered the last time; absent: nothing is known. */
  readonly choices?: readonly Choice[] | undefined;
  /* What was chosen is being set, before a prompt; or was, and is not answered yet. */
  readonly setting?: Setting | undefined;
  /* Messages of a replay, which are not shown again (W11). */
  readonly replayedCount: number;
  readonly openMessage?: OpenMessage | undefined;
  readonly startedAtMs: number;
  readonly endedAtMs?: number | undefined;
}

export interface Closing {
  /* For people and the log, such as `archived` or `session-closed`. */
  readonly reason: string;
  readonly actor: string;
  /* What the agent has stored of the conversation goes, too. */
  readonly discards: boolean;
  readonly atMs: number;
}

/* What has to match before a signal is sent (lease/verify-tree.ts). */
export interface AgentProcess {
  readonly rootPid: number;
  readonly processGroupId: number;
  readonly startTicks: number;
  readonly bootId: string;
}

export interface AgentCapabilities {
  readonly protocolVersion: number;
  readonly canResume: boolean;
  readonly canLoad: boolean;
  readonly canClose: boolean;
  readonly canDelete: boolean;
  /* `{id, name}` of the ways to sign in. */
  readonly authMethods: readonly JsonObject[];
  readonly prompt: JsonObject;
}

/* A text of the agent that is not finished: its deltas are events from `firstSeq` on (W9). */
export interface OpenMessage {
  readonly role: MessageRole;
  readonly messageId?: string | undefined;
  readonly firstSeq: number;
}

export type MessageRole = 'agent' | 'thought' | 'user';

/* What we have asked of the agent. Only those without an answer are among the rows. */
export interface CallRow {
  readonly id: number;
  readonly method: string;
  readonly turnId?: string | undefined;
  readonly inputOffset: number;
  readonly state: 'sent' | 'answered' | 'abandoned';
}

/* `effect`: a file or a terminal on the agent's host (decide/effects.ts). */
export type AskClass = 'permission' | 'question' | 'effect';

/* What the agent has asked of us. Its id is a hash of (run, cursor): a line that is read twice is one ask (W6). */
export interface AskRow {
  readonly id: string;
  readonly runId: RunId;
  readonly cursor: Cursor;
  readonly wireId: WireId;
  readonly method: string;
  readonly class: AskClass;
  /* Absent: asked outside of a turn (W12). */
  readonly turnId?: string | undefined;
  readonly params: JsonObject;
  /* `acting`: ours to do, or being done. */
  readonly state: 'open' | 'acting' | 'answered' | 'withdrawn' | 'void';
  readonly askedAtMs: number;
  readonly decision?: AskDecision | undefined;
  /* Written before it is done. */
  readonly effect?: EffectRecord | undefined;
  /*
   * When it was noted without a gateway, although what the agent said before it is not consumed yet. Absent once its own line is
   * consumed, and for every ask that was not noted like this.
   */
  readonly notedAheadAtMs?: number | undefined;
}

/* Of the asks these are loaded: what waits for an answer or for us, and what is still to be met in the journal, answered or not. */
export function isAmongRows({ state, notedAheadAtMs }: AskRow): boolean {
  return state === 'open' || state === 'acting' || notedAheadAtMs !== undefined;
}

export type EffectRecord =
  /* SHA-256 of the file as it is and as it will be; no `oldHash`: there is none. */
  | { readonly kind: 'write'; readonly oldHash?: string | undefined; readonly newHash: string }
  /* A run with the id of the ask. */
  | { readonly kind: 'terminal' };

export interface AskDecision {
  readonly answer: AskAnswer;
  readonly actor: string;
  readonly atMs: number;
}

export type AskAnswer =
  /* Of a permission: one of the options that were offered (W7). */
  | { readonly kind: 'option'; readonly optionId: string }
  /* Of a question: what was filled in. */
  | { readonly kind: 'accept'; readonly content: JsonObject }
  | { readonly kind: 'decline' }
  | { readonly kind: 'cancel' };

/* Bytes for the agent, at their place in its input. They stay until the shim has them. */
export interface FrameRow {
  readonly inputOffset: number;
  readonly text: string;
}

export const eventTypes = [
  'status',
  'delta',
  'message',
  'tool',
  'plan',
  'usage',
  'approval',
  'question',
  'artifact',
  'noise',
] as const;
export type EventType = (typeof eventTypes)[number];

export interface EventRow {
  readonly seq: number;
  readonly turnId?: string | undefined;
  readonly type: EventType;
  readonly payload: { readonly [key: string]: Json | undefined };
  /* When it happened: by the journal, for what an agent said (W10). */
  readonly atMs: number;
}

/* What is needed to decide; ended turns, answered calls and most closed asks are not among them. */
export interface ThreadRows {
  readonly thread: ThreadRow;
  /* Absent: it has no process, or the last one has ended. */
  readonly run?: AgentRunRow | undefined;
  readonly calls: ReadonlyMap<number, CallRow>;
  readonly asks: ReadonlyMap<string, AskRow>;
  /* The one that runs. */
  readonly turn?: TurnRow | undefined;
  /* Those that wait, in their order. */
  readonly queue: readonly TurnRow[];
  /* By turn: what ended turns have left is still to be looked at. */
  readonly syncs?: ReadonlyMap<string, ArtifactSyncRow> | undefined;
}

/* The next rows, and what is only added. */
export interface ThreadChange {
  readonly rows: ThreadRows;
  /* Turns that are not among the rows any more, with their end. */
  readonly endedTurns: readonly TurnRow[];
  /* The run that is not among the rows any more. */
  readonly endedRun?: AgentRunRow | undefined;
  /* Looks that are not among the rows any more, and what they have found. */
  readonly endedSyncs?: readonly ArtifactSyncRow[] | undefined;
  readonly artifacts?: readonly ArtifactRow[] | undefined;
  readonly events: readonly EventRow[];
  /* Nobody has to read any of its events (decide/routine.ts): who had looked at all there was, still has. */
  readonly isRoutine?: boolean | undefined;
  readonly frames: readonly FrameRow[];
  /* Room that it takes in the lanes. It is written if there is some, or not at all. */
  readonly claim?: LaneClaim | undefined;
}
