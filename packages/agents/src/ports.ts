/*
 * What threads need from the control database. `store` implements it.
 */
import type { AccountId } from '@clawdfather/kit';
import type { RunId } from '@clawdfather/supervisor';
import type { Choice, Chosen } from './choices/choice.ts';
import type { LaneFull } from './queue/lanes.ts';
import type {
  AgentRunRow,
  AskRow,
  EventRow,
  FrameRow,
  ThreadChange,
  ThreadRow,
  ThreadRows,
  ThreadStatus,
  TurnRow,
} from './rows.ts';

export interface NewThread {
  /* Made from a key of the client. Where there is one of this id already, no other is made. */
  readonly id?: string | undefined;
  readonly agent: string;
  readonly connectionId?: string | undefined;
  readonly cwd: string;
  readonly title: string;
  /* The thread that asked for this one, if an agent did. */
  readonly parentId?: string | undefined;
  /* How its agent is spoken to; absent: `acp`. */
  readonly backend?: string | undefined;
  /* Who spawned and who owns it, where that is not the parent. Without a parent it owns itself. */
  readonly spawnedBy?: string | undefined;
  readonly ownerId?: string | undefined;
  readonly instanceId: string;
  /* The session that it belongs to from the start; absent: it gets one with its first prompt. */
  readonly sessionId?: string | undefined;
  readonly viaConnectionId?: string | undefined;
  readonly chosen?: Chosen | undefined;
}

/* What an agent let people choose when a session of it last answered, on one host. */
export interface Offered {
  readonly choices: readonly Choice[];
  readonly seenAtMs: number;
}

export interface ThreadFilter {
  /* All that have this one above them. */
  readonly rootId?: string;
  readonly status?: ThreadStatus;
  /* The beginning of an id. */
  readonly idPrefix?: string;
  /* Absent: archived ones are left out. */
  readonly includeArchived?: boolean;
  /* Only those that are pinned. */
  readonly isPinned?: boolean;
  readonly limit?: number;
  readonly offset?: number;
}

/* Who asked for a change, for the audit log of the account. It is written with the change, or neither is. */
export interface ThreadAudit {
  readonly action:
    | 'thread.create'
    | 'thread.archive'
    | 'thread.unarchive'
    | 'thread.edit'
    | 'thread.choose'
    | 'turn.prompt'
    | 'turn.cancel'
    | 'turn.move'
    | 'turn.edit'
    | 'ask.answer';
  readonly actor: string;
  readonly target?: string;
  readonly ip?: string;
  readonly traceId?: string;
  /* No prompts, nothing that an agent has said. */
  readonly detail?: { readonly [key: string]: string };
}

/* What a person changes of a thread. Absent: it stays. */
export interface ThreadEdit {
  readonly title?: string | undefined;
  readonly isPinned?: boolean | undefined;
}

/* The threads of one account. */
export interface ThreadRecords {
  create(thread: NewThread, audit?: ThreadAudit): Promise<ThreadRows>;
  load(threadId: string): Promise<ThreadRows | undefined>;
  /*
   * Writes every row of `change` that is not the one of `before`, and what is added, in one transaction that compares the thread's
   * version. `conflict`: the rows were not the newest, and nothing was written; so it is, too, when a lane that `change.claim` names is
   * full. The version is raised by the store.
   */
  commit(
    before: ThreadRows,
    change: ThreadChange,
    audits?: readonly ThreadAudit[],
  ): Promise<'committed' | 'conflict' | LaneFull>;
  get(threadId: string): Promise<ThreadRow | undefined>;
  list(filter?: ThreadFilter): Promise<{ items: readonly ThreadRow[]; total: number }>;
  archive(threadId: string, audit?: ThreadAudit): Promise<'archived' | 'not_found' | 'busy'>;
  /* It is as it was before: ready, without an agent. */
  unarchive(threadId: string, audit?: ThreadAudit): Promise<'ready' | 'not_found'>;
  edit(threadId: string, edit: ThreadEdit, audit?: ThreadAudit): Promise<'edited' | 'not_found'>;
  /* Of an agent on a host, or on the gateway's own machine; undefined: no session of it has answered there. */
  offered(agent: string, connectionId?: string): Promise<Offered | undefined>;
  /* After this number, in order; large payloads are whole again. */
  events(
    threadId: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly EventRow[]>;
  turns(threadId: string): Promise<readonly TurnRow[]>;
  /* With the thread that it is of. */
  turn(turnId: string): Promise<(TurnRow & { readonly threadId: string }) | undefined>;
  /* As `events`, only the texts of one turn. */
  deltas(
    turn: { readonly threadId: string; readonly id: string },
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly EventRow[]>;
  /* The turn that a client's message has made, if it made one. */
  turnOfMessage(threadId: string, clientMessageId: string): Promise<TurnRow | undefined>;
  ask(askId: string): Promise<(AskRow & { readonly threadId: string }) | undefined>;
  /* Of all its threads, oldest first. */
  openAsks(): Promise<readonly (AskRow & { readonly threadId: string })[]>;
  /* Whatever became of them: the newest so many, oldest first. They go with their runs. */
  lastAsks(limit: number): Promise<readonly (AskRow & { readonly threadId: string })[]>;
  /* From this offset on, in order: what the shim may not have yet. Read back from the database, because a commit's answer can be lost. */
  frames(runId: RunId, from: number): Promise<readonly FrameRow[]>;
  /* The shim has all below. */
  trimFrames(runId: RunId, below: number): Promise<void>;
  /* Leases of agents that have ended, newest first. */
  endedRuns(threadId: string): Promise<readonly AgentRunRow[]>;
}

export interface ThreadName {
  readonly accountId: AccountId;
  readonly id: string;
}

export interface TurnElsewhere extends ThreadName {
  readonly turnId: string;
  readonly instanceId: string;
  /* Of its newest heartbeat; another value is another heartbeat. Undefined: no such gateway is known. */
  readonly beat?: string | undefined;
}

/* Over all accounts. */
export interface DueThreads {
  /* Those with a run of this instance that has not ended. */
  withRuns(instanceId: string): Promise<readonly ThreadName[]>;
  /* Those with a turn that runs or waits, oldest first. */
  withTurns(): Promise<readonly ThreadName[]>;
  /* The turns that run at other gateways of this database, with when those were last heard. */
  elsewhere(instanceId: string): Promise<readonly TurnElsewhere[]>;
  /* How many turns run. */
  runningTurns(): Promise<number>;
  /* How many wait. */
  waitingTurns(): Promise<number>;
  /* Leases that ended before this are forgotten. */
  forgetRunsBefore(atMs: number): Promise<number>;
}
