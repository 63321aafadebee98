/*
 * Turns from outside: put into the queue, admitted (X1), cancelled (X5). What else becomes of one that waits is in queue.ts.
 */
import type { LaneClaim } from '../queue/lanes.ts';
import { keyAfter, type QueueSpot } from '../queue/queue-order.ts';
import type { CancelCause, LoadClass, ThreadChange, ThreadRows, TurnRow } from '../rows.ts';
import { nextTurn } from '../turn/next-turn.ts';
import { withoutPictures } from '../turn/pictures.ts';
import type { JsonObject } from '../wire/json-rpc.ts';
import { advance } from './advance.ts';
import { chooseIn, type Choosing } from './choosing.ts';
import { Draft } from './draft.ts';
import { cancelOnce } from './once.ts';
import { answerCancelled } from './take-request.ts';

export interface NewTurn {
  readonly id: string;
  readonly prompt: readonly JsonObject[];
  readonly loadClass: LoadClass;
  readonly artifactDirs?: readonly string[] | undefined;
  readonly requester: string;
  readonly clientMessageId?: string | undefined;
  readonly messageHash?: string | undefined;
  readonly trace?: string | undefined;
  readonly wakeId?: string | undefined;
  readonly priority?: number | undefined;
  readonly notBeforeMs?: number | undefined;
  /* Behind all that wait in its account; absent: behind those of its thread. */
  readonly queueKey?: number | undefined;
  /* With the message, or not at all. */
  readonly choosing?: Choosing | undefined;
}

export function enqueueTurn(
  rows: ThreadRows,
  { choosing, ...turn }: NewTurn,
  atMs: number,
): ThreadChange {
  const draft = new Draft(rows, atMs);
  if (choosing !== undefined) chooseIn(draft, choosing);
  const spot = spotOf(turn, draft.queue.at(-1));
  const row: TurnRow = { ...turn, ...spot, status: 'queued', requeuedCount: 0, queuedAtMs: atMs };
  draft.queue = [...draft.queue, row];
  if (draft.thread.title === '') {
    draft.thread = { ...draft.thread, title: titleOf(turn.prompt) };
  }
  const position = draft.queue.length;
  draft.event('status', { event: 'queued', position }, { turnId: turn.id });
  return draft.done();
}

/* What is said later in a thread comes later, so it has no higher priority than what it waits for. */
function spotOf({ priority = 0, queueKey = keyAfter(0) }: NewTurn, last?: TurnRow): QueueSpot {
  if (last === undefined) return { priority, queueKey };
  const isBehind = queueKey > last.queueKey;
  return {
    priority: Math.min(priority, last.priority),
    queueKey: isBehind ? queueKey : keyAfter(last.queueKey),
  };
}

const titleCharactersMax = 64;

/* The beginning of what was first said, in one line. */
function titleOf(prompt: readonly JsonObject[]): string {
  const { text } = prompt.find(({ type }) => type === 'text') ?? {};
  const line = typeof text === 'string' ? text.replaceAll(/[\p{C}\s]+/gu, ' ').trim() : '';
  return line.length <= titleCharactersMax
    ? line
    : `${line.slice(0, titleCharactersMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/*
 * X1. Undefined: none waits, one runs already, or its time has not come. `claim`: the room that it needs; absent: it is not asked whether
 * there is any.
 */
export function admitTurn(
  rows: ThreadRows,
  atMs: number,
  claim?: Extract<LaneClaim, { kind: 'admit' }>,
): ThreadChange | undefined {
  const [next, ...rest] = rows.queue;
  if (next === undefined || rows.turn !== undefined || rows.thread.status === 'archived') {
    return undefined;
  }
  if (next.notBeforeMs !== undefined && next.notBeforeMs > atMs) return undefined;
  const step = nextTurn(next, { type: 'admitted' });
  if (step.outcome !== 'changed') return undefined;
  const draft = new Draft(rows, atMs);
  draft.queue = rest;
  const { readyAtMs: _ready, ...admitted } = next;
  const startedAtMs = next.startedAtMs ?? atMs;
  const instanceId = claim?.instanceId;
  draft.turn = { ...admitted, status: step.status, startedAtMs, instanceId };
  // What was put back has been shown already.
  if (next.requeuedCount === 0) {
    draft.event('message', { role: 'user', blocks: withoutPictures(next.prompt), ...saidBy(next) });
    draft.event('status', { event: 'started' });
  }
  advance(draft);
  return { ...draft.done(), claim };
}

/* No person said it: an agent of this thread did. */
function saidBy({ requester }: TurnRow): { readonly from?: string } {
  return requester.startsWith(agentRequester) ? { from: requester } : {};
}

const agentRequester = 'thread:';

export interface FailedStart {
  readonly message: string;
  /* The code of the limit that leaves no room for an agent. */
  readonly limit?: string | undefined;
}

/* No agent can be started for it: it fails at once. Undefined: none runs. */
export function failStart(
  rows: ThreadRows,
  { message, limit }: FailedStart,
  atMs: number,
): ThreadChange | undefined {
  if (rows.turn === undefined) return undefined;
  const draft = new Draft(rows, atMs);
  const event =
    limit === undefined
      ? ({ type: 'not-startable' } as const)
      : ({ type: 'no-place', limit } as const);
  draft.turnEvent({ ...event, message });
  return draft.done();
}

export interface Cancel {
  readonly turnId: string;
  readonly cause: CancelCause;
  readonly actor: string;
}

/*
 * X5. Marks the turn, tells the agent, and answers all that the agent asks in it, in one change. Undefined: it does not run and does not
 * wait, or was cancelled before.
 */
export function cancelTurn(
  rows: ThreadRows,
  { turnId, cause, actor }: Cancel,
  atMs: number,
): ThreadChange | undefined {
  const waiting = rows.queue.find(({ id }) => id === turnId);
  if (waiting !== undefined) return cancelWaiting(rows, waiting, { cause, actor, atMs });
  const { turn } = rows;
  if (turn?.id !== turnId || turn.cancelAskedAtMs !== undefined) return undefined;
  const draft = new Draft(rows, atMs);
  cancelRunning(draft, turn, { cause, actor });
  return draft.done();
}

/* Of the turn that runs, if it was not cancelled before. */
export function cancelRunning(
  draft: Draft,
  turn: TurnRow,
  { cause, actor }: Omit<Cancel, 'turnId'>,
): void {
  const { atMs } = draft;
  draft.changeTurn({ cancelAskedAtMs: atMs, cancelCause: cause, cancelActor: actor });
  draft.event('status', { event: 'cancelling', cause, actor });
  const { run } = draft;
  if (run?.phase === 'once' && turn.runId === run.runId) {
    cancelOnce(draft, actor);
    return;
  }
  // Without a prompt there is nothing to cancel there: the turn ends here, and the agent goes on as it is.
  if (run === undefined || turn.promptCall === undefined) {
    draft.turnEvent({ type: 'stopped', stopReason: 'cancelled' });
    return;
  }
  draft.notify('session/cancel', { sessionId: draft.thread.nativeSessionId });
  for (const ask of draft.asks.values()) {
    if (ask.turnId === turn.id && ask.state === 'open') answerCancelled(draft, ask, actor);
  }
}

function cancelWaiting(
  rows: ThreadRows,
  waiting: TurnRow,
  { cause, actor, atMs }: Omit<Cancel, 'turnId'> & { readonly atMs: number },
): ThreadChange | undefined {
  const step = nextTurn(waiting, { type: 'cancel-asked', cause });
  if (step.outcome !== 'ended') return undefined;
  const draft = new Draft(rows, atMs);
  draft.queue = draft.queue.filter(({ id }) => id !== waiting.id);
  const { status, result } = step;
  const asked = { cancelAskedAtMs: atMs, cancelCause: cause, cancelActor: actor };
  draft.endTurn({ ...waiting, ...asked, readyAtMs: undefined, status, result, endedAtMs: atMs });
  return draft.done();
}
