/*
 * Rows of threads for tests: each kind with nothing optional in it, and with everything.
 */
import assert from 'node:assert/strict';
import type {
  AgentRunRow,
  AskRow,
  CallRow,
  Choice,
  EventRow,
  FrameRow,
  ThreadChange,
  ThreadRecords,
  ThreadRows,
  TurnRow,
} from '@clawdfather/agents';
import type { Cursor, RunId } from '@clawdfather/supervisor';

export const instanceId = 'gateway-a';

/** NUL, a lone surrogate, and half an emoji, which no column of text takes. */
export const oddText = 'a\0b\ud800c😀';

export function bareTurn(id: string): TurnRow {
  return {
    id,
    status: 'queued',
    prompt: [{ type: 'text', text: 'hello' }],
    loadClass: 'long_task',
    requester: 'device:d',
    requeuedCount: 0,
    queuedAtMs: 10,
    priority: 0,
    queueKey: 0,
  };
}

/** What is written with a turn and never again. */
export const noMessage = { clientMessageId: undefined, messageHash: undefined, trace: undefined };

export function fullTurn(id: string, runId: RunId): TurnRow {
  return {
    ...bareTurn(id),
    status: 'running',
    prompt: [{ type: 'text', text: oddText }],
    clientMessageId: `message-${id}`,
    messageHash: `hash-of-${id}`,
    trace: `trace-${id}`,
    runId,
    promptCall: 3,
    promptEnd: 400,
    requeuedCount: 2,
    cancelAskedAtMs: 30,
    cancelCause: 'asked',
    cancelActor: 'device:e',
    usage: { inputTokens: 5, note: oddText },
    reaching: { cause: 'timeout', message: oddText, sinceMs: 21, tries: 2, nextAtMs: 25 },
    firstOutputAtMs: 22,
    priority: -3,
    queueKey: -(2 ** 40),
    notBeforeMs: 15,
    instanceId,
    startedAtMs: 20,
    deadlineAtMs: 99,
  };
}

export function endedTurn(turn: TurnRow): TurnRow {
  return {
    ...turn,
    status: 'interrupted',
    result: {
      code: 'ACP_BRIDGE_RESTART',
      stopReason: 'why not',
      message: oddText,
      cause: 'out-of-memory',
    },
    endedAtMs: 40,
  };
}

/** What changes of a thread, besides how it stands. */
export const fullThread = {
  sessionId: 'session',
  lastTurnId: 'turn-0',
  lastResultCode: 'success',
  nativeSessionId: oddText,
  chosen: { mode: 'plan', constructor: oddText },
  currentChoices: [{ id: 'mode', name: oddText, value: 'plan', valueName: oddText }],
} as const;

export function bareRun(runId: RunId): AgentRunRow {
  return {
    runId,
    leaseId: `lease-${runId}`,
    instanceId,
    epoch: 0,
    state: 'open',
    phase: 'starting',
    commandHash: 'sha256:c',
    programRoot: '/opt/agent',
    programPath: '/opt/agent/bin',
    cursor: '0.0' as Cursor,
    acceptedInput: 0,
    nextCallId: 1,
    nextInputOffset: 0,
    replayedCount: 0,
    startedAtMs: 11,
  };
}

export function fullRun(runId: RunId): AgentRunRow {
  return {
    ...bareRun(runId),
    epoch: 7,
    seenBy: 3,
    phase: 'ready',
    process: { rootPid: 4_194_303, processGroupId: 12, startTicks: 123_456, bootId: 'boot' },
    closing: { reason: oddText, actor: 'device:d', discards: true, atMs: 12 },
    cursor: '12345.6' as Cursor,
    acceptedInput: 100,
    nextCallId: 4,
    nextInputOffset: 400,
    capabilities: {
      protocolVersion: 1,
      canResume: true,
      canLoad: false,
      canClose: true,
      canDelete: false,
      authMethods: [{ id: oddText, name: 'Sign in' }],
      prompt: { image: true },
    },
    choices: [fullChoice],
    setting: {
      turnId: 'turn',
      tried: [{ choiceId: 'mode', value: 'code', why: oddText }],
      call: { choiceId: 'mode', value: 'plan', shown: 'ask', callId: 3, atMs: 21 },
      late: [{ choiceId: 'mode', value: 'code', callId: 2 }],
    },
    replayedCount: 9,
    openMessage: { role: 'agent', messageId: oddText, firstSeq: 3 },
  };
}

const fullChoice: Choice = {
  id: 'mode',
  name: oddText,
  category: 'mode',
  description: oddText,
  values: [{ value: 'plan', name: oddText, description: oddText }],
  moreValues: 2,
  current: 'plan',
  way: 'mode',
};

export function bareCall(id: number): CallRow {
  return { id, method: 'initialize', inputOffset: 0, state: 'sent' };
}

export function bareAsk(id: string, runId: RunId): AskRow {
  return {
    id,
    runId,
    cursor: '1.0' as Cursor,
    wireId: 0,
    method: 'session/request_permission',
    class: 'permission',
    params: {},
    state: 'open',
    askedAtMs: 21,
  };
}

export function fullAsk(id: string, runId: RunId): AskRow {
  return {
    ...bareAsk(id, runId),
    wireId: oddText,
    class: 'question',
    turnId: 'turn',
    params: { options: [{ optionId: oddText }], nothing: null },
    askedAtMs: 22,
  };
}

export function delta(seq: number, payload: EventRow['payload'] = { text: `t${seq}` }): EventRow {
  return { seq, type: 'delta', payload, atMs: 1_000 + seq };
}

export function frameAt(inputOffset: number, text: string): FrameRow {
  return { inputOffset, text };
}

type Parts = Omit<Partial<ThreadChange>, 'rows'> & {
  readonly rows?: Partial<Omit<ThreadRows, 'thread'>>;
  readonly thread?: Partial<ThreadRows['thread']>;
};

/** The next rows: those before, and what is said here. */
export function changeOf(before: ThreadRows, { rows, thread, ...parts }: Parts): ThreadChange {
  const { events = [] } = parts;
  const lastSeq = before.thread.lastSeq + events.length;
  return {
    endedTurns: [],
    events,
    frames: [],
    ...parts,
    rows: { ...before, ...rows, thread: { ...before.thread, lastSeq, ...thread } },
  };
}

/** Committed, and read back. */
export async function committed(
  threads: ThreadRecords,
  before: ThreadRows,
  change: ThreadChange,
): Promise<ThreadRows> {
  assert.equal(await threads.commit(before, change), 'committed');
  return await loaded(threads, before.thread.id);
}

export async function loaded(threads: ThreadRecords, threadId: string): Promise<ThreadRows> {
  return (await threads.load(threadId)) ?? assert.fail('there is no such thread');
}

export async function newThread(
  threads: ThreadRecords,
  place: { readonly connectionId?: string | undefined } = {},
): Promise<ThreadRows> {
  const given = { agent: 'fake', cwd: '/work', title: 'a thread', instanceId };
  return await threads.create({ ...given, ...place });
}

export function runIdOf(name: string): RunId {
  return name as RunId;
}

/** A thread with a run, a turn that runs and one that waits, an open ask and a frame. Version 2. */
export async function busyThread(threads: ThreadRecords, name: string): Promise<ThreadRows> {
  const before = await newThread(threads);
  const runId = runIdOf(`run-${name}`);
  return await committed(
    threads,
    before,
    changeOf(before, {
      thread: { status: 'running' },
      rows: {
        run: fullRun(runId),
        turn: fullTurn(`turn-${name}`, runId),
        queue: [bareTurn(`waits-${name}`)],
        calls: new Map([[3, bareCall(3)]]),
        asks: new Map([[`ask-${name}`, bareAsk(`ask-${name}`, runId)]]),
      },
      events: [delta(1), delta(2)],
      frames: [frameAt(0, 'x'.repeat(400))],
    }),
  );
}
