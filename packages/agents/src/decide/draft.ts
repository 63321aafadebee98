/*
 * A change of a thread while it is put together. Each decision begins one, and ends with `done`.
 * Ids of our calls are counted in the row of the run, in the change that stores the frame (W5).
 */
import type { RunId } from '@clawdfather/supervisor';
import {
  type ArtifactRow,
  type ArtifactSyncRow,
  needsArtifacts,
} from '../artifacts/artifact-rows.ts';
import type {
  AgentRunRow,
  AskRow,
  CallRow,
  EventRow,
  EventType,
  FrameRow,
  ThreadChange,
  ThreadRow,
  ThreadRows,
  TurnRow,
} from '../rows.ts';
import { nextTurn, type TurnEvent } from '../turn/next-turn.ts';
import { formatNotification, formatRequest, type JsonObject } from '../wire/json-rpc.ts';
import { isRoutine } from './routine.ts';

/* What an agent says or does for a turn; the others are about it. */
const outputTypes: ReadonlySet<EventType> = new Set([
  'delta',
  'message',
  'tool',
  'plan',
  'approval',
  'question',
]);

export class Draft {
  thread: ThreadRow;
  run: AgentRunRow | undefined;
  turn: TurnRow | undefined;
  queue: readonly TurnRow[];
  readonly calls: Map<number, CallRow>;
  readonly asks: Map<string, AskRow>;
  readonly #queueBefore: readonly TurnRow[];
  readonly #syncs: Map<string, ArtifactSyncRow>;
  readonly #endedSyncs: ArtifactSyncRow[] = [];
  readonly #artifacts: ArtifactRow[] = [];
  readonly #events: EventRow[] = [];
  readonly #frames: FrameRow[] = [];
  readonly #endedTurns: TurnRow[] = [];
  #endedRun: AgentRunRow | undefined;
  readonly atMs: number;

  constructor(rows: ThreadRows, atMs: number) {
    this.thread = rows.thread;
    this.run = rows.run;
    this.turn = rows.turn;
    this.queue = rows.queue;
    this.#queueBefore = rows.queue;
    this.calls = new Map(rows.calls);
    this.asks = new Map(rows.asks);
    this.#syncs = new Map(rows.syncs);
    this.atMs = atMs;
  }

  /* The number of the event that comes next. */
  get nextSeq(): number {
    return this.thread.lastSeq + 1;
  }

  event(
    type: EventType,
    payload: JsonObject,
    { turnId = this.turn?.id, atMs = this.atMs }: EventFacts = {},
  ): void {
    const seq = this.nextSeq;
    this.thread = { ...this.thread, lastSeq: seq };
    this.#events.push({ seq, turnId, type, payload, atMs });
    this.#noteOutput(type, atMs);
  }

  #noteOutput(type: EventType, atMs: number): void {
    const { turn } = this;
    const isFirst = turn?.promptEnd !== undefined && turn.firstOutputAtMs === undefined;
    if (isFirst && outputTypes.has(type)) this.changeTurn({ firstOutputAtMs: atMs });
  }

  /* Lengthens the newest event, if it is still of this change. */
  replaceLastEvent(payload: JsonObject): void {
    const last = this.#events.pop();
    if (last !== undefined) this.#events.push({ ...last, payload });
  }

  get lastEvent(): EventRow | undefined {
    return this.#events.at(-1);
  }

  changeRun(change: Partial<AgentRunRow>): AgentRunRow {
    if (this.run === undefined) throw new TypeError('there is no agent run');
    this.run = { ...this.run, ...change };
    return this.run;
  }

  changeTurn(change: Partial<TurnRow>): void {
    if (this.turn !== undefined) this.turn = { ...this.turn, ...change };
  }

  /* At the end of the agent's input. Where it ends is the answer. */
  frame(text: string): number {
    const { nextInputOffset } = this.changeRun({});
    const end = nextInputOffset + Buffer.byteLength(text);
    this.#frames.push({ inputOffset: nextInputOffset, text });
    this.changeRun({ nextInputOffset: end });
    return end;
  }

  call(method: string, params: JsonObject, turnId?: string): { id: number; end: number } {
    const { nextCallId: id, nextInputOffset: inputOffset } = this.changeRun({});
    const end = this.frame(formatRequest(id, method, params));
    this.changeRun({ nextCallId: id + 1 });
    this.calls.set(id, { id, method, turnId, inputOffset, state: 'sent' });
    return { id, end };
  }

  notify(method: string, params: JsonObject): void {
    this.frame(formatNotification(method, params));
  }

  /* Applies an event to the turn that runs, and says what became of it. */
  turnEvent(event: TurnEvent, atMs = this.atMs): void {
    const { turn } = this;
    if (turn === undefined) return;
    const step = nextTurn(turn, event);
    if (step.outcome === 'unchanged') return;
    if (step.outcome === 'changed') {
      this.turn = { ...turn, status: step.status };
      return;
    }
    const ended: TurnRow = {
      ...turn,
      status: step.status,
      result: step.result,
      endedAtMs: atMs,
    };
    this.endTurn(ended);
    this.turn = undefined;
  }

  endTurn(ended: TurnRow): void {
    const { id: turnId, status, result } = ended;
    this.#endedTurns.push(ended);
    if (needsArtifacts(ended)) this.#beginSync(turnId);
    const facts = { turnId, atMs: ended.endedAtMs ?? this.atMs };
    this.event('status', { event: status, result: { ...result } }, facts);
    this.thread = { ...this.thread, lastTurnId: turnId, lastResultCode: result?.code };
  }

  /* AR1 */
  #beginSync(turnId: string): void {
    const { instanceId } = this.run ?? this.#endedRun ?? this.thread;
    this.#syncs.set(turnId, {
      turnId,
      instanceId,
      status: 'syncing',
      missing: [],
      missingCount: 0,
      itemCount: 0,
      askedAtMs: this.atMs,
    });
  }

  /* AR2 */
  endSync(ended: ArtifactSyncRow, items: readonly ArtifactRow[]): void {
    this.#syncs.delete(ended.turnId);
    this.#endedSyncs.push(ended);
    this.#artifacts.push(...items);
  }

  endRun(run: AgentRunRow): void {
    this.#endedRun = run;
    this.run = undefined;
    this.calls.clear();
  }

  get runId(): RunId {
    return this.changeRun({}).runId;
  }

  done(): ThreadChange {
    const { calls, asks, turn } = this;
    const queue = readied(this.queue, turn, this.atMs);
    const status = this.#status();
    // What only its agent's process is about, such as another owner, is no change to people.
    const isChanged = this.#events.length > 0 || queue !== this.#queueBefore;
    const updatedAtMs = isChanged ? this.atMs : this.thread.updatedAtMs;
    const thread = { ...this.thread, status, updatedAtMs };
    // As a load finds them: absent where there are none.
    const syncs = this.#syncs.size === 0 ? {} : { syncs: this.#syncs };
    const isAllRoutine = this.#events.length > 0 && this.#events.every(isRoutine);
    return {
      rows: { thread, run: this.run, calls, asks, turn, queue, ...syncs },
      endedTurns: this.#endedTurns,
      endedRun: this.#endedRun,
      endedSyncs: this.#endedSyncs,
      artifacts: this.#artifacts,
      events: this.#events,
      frames: this.#frames,
      ...(isAllRoutine && { isRoutine: true }),
    };
  }

  #status(): ThreadRow['status'] {
    if (this.thread.status === 'archived') return 'archived';
    if (this.turn !== undefined) return 'running';
    return this.queue.length > 0 ? 'queued' : 'ready';
  }
}

/* The first of the queue is ready while none runs, and it alone. The same queue, where nothing changes. */
function readied(
  queue: readonly TurnRow[],
  running: TurnRow | undefined,
  atMs: number,
): readonly TurnRow[] {
  const ready = running === undefined ? queue[0] : undefined;
  const isSo = queue.every((turn) => (turn.readyAtMs !== undefined) === (turn === ready));
  if (isSo) return queue;
  return queue.map((turn) => {
    if (turn === ready) return { ...turn, readyAtMs: turn.readyAtMs ?? atMs };
    const { readyAtMs: _ready, ...waiting } = turn;
    return turn.readyAtMs === undefined ? turn : waiting;
  });
}

interface EventFacts {
  readonly turnId?: string | undefined;
  readonly atMs?: number;
}
