/*
 * One thread of the model: its agent on paper, its owners, and what has to be true of its rows after every step.
 *
 * An owner decides on rows that it has loaded, and commits with the store. A frozen one has decided and not committed: when it thaws, it
 * commits what it had decided, and after a conflict decides anew under the epoch that it had. Nothing here knows more than a gateway does.
 */
import assert from 'node:assert/strict';
import {
  admitTurn,
  answerAsk,
  beginRun,
  cancelTurn,
  consume,
  endRun,
  enqueueTurn,
  type EventRow,
  holdRun,
  type LaneFull,
  type LaneNumbers,
  noText,
  type RpcMessage,
  type ThreadChange,
  type ThreadRecords,
  type ThreadRows,
  type TurnRow,
} from '@clawdfather/agents';
import type { Cursor } from '@clawdfather/supervisor';
import { instanceId, loaded, runIdOf } from './thread-rows.ts';

const setup = { clientVersion: '0', mcpServers: [] };
const atMs = 1_000;

type Decide = (rows: ThreadRows) => ThreadChange | undefined;

interface Frozen {
  readonly before: ThreadRows;
  readonly change: ThreadChange;
  readonly decide: Decide;
}

/* A process: what it has said, and which of our calls it has answered. */
interface PaperAgent {
  readonly runId: string;
  readonly said: RpcMessage[];
  readonly answered: Set<number>;
}

export class ModelledThread {
  readonly id: string;
  readonly #records: ThreadRecords;
  #agent: PaperAgent | undefined;
  #epoch = 0;
  #count = 0;
  readonly #frozen: Frozen[] = [];
  /* What was seen before, and may not change any more. */
  readonly #ended = new Map<string, TurnRow>();
  readonly #frames = new Map<string, string>();
  readonly #enqueued: string[] = [];
  /* Of agents that are gone: all that they said. */
  #text = '';

  constructor(records: ThreadRecords, id: string) {
    this.#records = records;
    this.id = id;
  }

  async enqueue(): Promise<void> {
    const id = this.#next('turn');
    const turn = { id, loadClass: 'short_task', requester: 'device:a', prompt: [] } as const;
    await this.#change((rows) => enqueueTurn(rows, turn, atMs));
    this.#enqueued.push(id);
  }

  /* X1: with the room that it needs in the lanes, or not at all. */
  async admit(below: LaneNumbers): Promise<'admitted' | 'none' | LaneFull> {
    const rows = await this.#rows();
    const change = admitTurn(rows, atMs, { kind: 'admit', instanceId, below });
    if (change === undefined) return 'none';
    const outcome = await this.#records.commit(rows, change);
    assert.notEqual(outcome, 'conflict');
    return typeof outcome === 'object' ? outcome : 'admitted';
  }

  /* Its agent is started, where a turn needs one. */
  async begin(): Promise<void> {
    const { turn, run } = await this.#rows();
    if (turn === undefined || run !== undefined) return;
    const runId = runIdOf(this.#next('run'));
    const program = { commandHash: 'hash', programRoot: '/opt', programPath: '/opt/agent' };
    const lease = { runId, leaseId: 'lease', instanceId, ...program, sessionId: 's' };
    await this.#change((rows) => beginRun(rows, lease, atMs));
    this.#agent = { runId, said: [], answered: new Set() };
    this.#epoch = 1;
    await this.#change(this.#hold(1));
  }

  say(): void {
    const text = `${this.#next('word')} `;
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
    this.#agent?.said.push({ kind: 'notification', method: 'session/update', params: { update } });
  }

  ask(): void {
    const options = [{ optionId: 'yes' }, { optionId: 'no' }];
    const method = 'session/request_permission';
    const id = this.#next('wire');
    this.#agent?.said.push({ kind: 'request', id, method, params: { options } });
  }

  /* It answers every call of ours; the prompt only when its turn is to end. */
  async answerCalls({ endsTurn }: { readonly endsTurn: boolean }): Promise<void> {
    const { calls } = await this.#rows();
    for (const { id, method } of calls.values()) {
      const isPrompt = method === 'session/prompt';
      if (this.#agent === undefined || this.#agent.answered.has(id)) continue;
      if (isPrompt && !endsTurn) continue;
      this.#agent.answered.add(id);
      this.#agent.said.push({ kind: 'result', id, result: resultOf(method) });
    }
  }

  async consume(): Promise<void> {
    await this.#change(this.#consuming(this.#epoch));
  }

  /* Several at once: all have seen the same rows. */
  async decide(people: readonly string[]): Promise<void> {
    const rows = await this.#rows();
    const [ask] = rows.asks.values();
    if (ask === undefined) return;
    const decides = people.map((actor, index) => this.#answering(ask.id, actor, index));
    const changes = decides.map((decide) => decide(rows));
    const outcomes = [];
    for (const change of changes) {
      if (change !== undefined) outcomes.push(await this.#records.commit(rows, change));
    }
    const committed = outcomes.filter((outcome) => outcome === 'committed');
    assert.ok(committed.length <= 1, 'one of them was first');
    // The others look again, and are told that it was decided.
    const now = await this.#rows();
    if (committed.length === 1) for (const again of decides) assert.equal(again(now), undefined);
  }

  async cancel(): Promise<void> {
    const { turn, queue } = await this.#rows();
    const turnId = turn?.id ?? queue[0]?.id;
    if (turnId === undefined) return;
    await this.#change((rows) =>
      cancelTurn(rows, { turnId, cause: 'asked', actor: 'device:a' }, atMs),
    );
  }

  /* Between its decision and its commit: to consume, or to answer. */
  async freeze(): Promise<void> {
    const before = await this.#rows();
    const [ask] = before.asks.values();
    const decide =
      ask === undefined ? this.#consuming(this.#epoch) : this.#answering(ask.id, 'device:f', 1);
    const change = decide(before);
    if (change !== undefined) this.#frozen.push({ before, change, decide });
  }

  async thaw(): Promise<void> {
    const frozen = this.#frozen.shift();
    if (frozen === undefined) return;
    const { version } = (await this.#rows()).thread;
    const outcome = await this.#records.commit(frozen.before, frozen.change);
    const isNewest = version === frozen.before.thread.version;
    assert.equal(outcome, isNewest ? 'committed' : 'conflict');
    if (outcome === 'committed') return;
    assert.equal((await this.#rows()).thread.version, version, 'nothing was written');
    await this.#change(frozen.decide);
  }

  /* The next owner, with a higher epoch: after a crash of the last one, or while it is frozen. */
  async steal(): Promise<void> {
    if (this.#agent === undefined) return;
    this.#epoch += 1;
    await this.#change(this.#hold(this.#epoch));
  }

  /* All that it said is consumed first (W11). */
  async die(): Promise<void> {
    const agent = this.#agent;
    if (agent === undefined) return;
    await this.consume();
    const runId = runIdOf(agent.runId);
    const end = { runId, reason: 'signal', message: 'it died', endedAtMs: atMs } as const;
    const text = noText();
    await this.#change((rows) => endRun(rows, { ...end, state: 'closed' }, { text, atMs }));
    this.#text += agent.said.map(textOf).join('');
    this.#agent = undefined;
  }

  /* Everything ends, so that nothing of it runs any more. */
  async finish(): Promise<void> {
    await this.die();
    for (;;) {
      const { turn, queue } = await this.#rows();
      if (turn === undefined && queue.length === 0) return;
      await this.cancel();
    }
  }

  #hold(epoch: number): Decide {
    const runId = runIdOf(this.#agent?.runId ?? '');
    return (rows) => holdRun(rows, { runId, epoch, process: undefined }, { setup, atMs });
  }

  /* As an owner of this epoch, from where the rows are. */
  #consuming(epoch: number): Decide {
    const agent = this.#agent;
    const runId = runIdOf(agent?.runId ?? '');
    return (rows) => {
      const from = rows.run?.cursor ?? ('0.0' as Cursor);
      const read = numberOf(from);
      const steps = (agent?.said ?? []).slice(read).map((message, index) => ({
        cursor: `${read + index + 1}.0` as Cursor,
        atMs,
        items: [{ kind: 'message', message, bytes: 1 } as const],
      }));
      if (steps.length === 0) return undefined;
      const step = consume(rows, { runId, epoch, from, steps }, { setup, text: noText(), atMs });
      const isStale = rows.run?.runId !== runId || rows.run.epoch !== epoch;
      assert.equal(step.outcome, isStale ? 'superseded' : 'consumed');
      return step.outcome === 'consumed' ? step.change : undefined;
    };
  }

  #answering(askId: string, actor: string, option: number): Decide {
    return (rows) => {
      const answer = { kind: 'option', optionId: option % 2 === 0 ? 'yes' : 'no' } as const;
      const step = answerAsk(rows, { askId, answer, actor }, atMs);
      return step.outcome === 'answered' ? step.change : undefined;
    };
  }

  #rows(): Promise<ThreadRows> {
    return loaded(this.#records, this.id);
  }

  async #change(decide: Decide): Promise<ThreadChange | undefined> {
    const rows = await this.#rows();
    const change = decide(rows);
    if (change === undefined) return undefined;
    assert.equal(await this.#records.commit(rows, change), 'committed');
    return change;
  }

  #next(name: string): string {
    this.#count += 1;
    return `${this.id}-${name}-${this.#count}`;
  }

  async check(): Promise<void> {
    const rows = await this.#rows();
    const turns = await this.#records.turns(this.id);
    const events = await this.#records.events(this.id, { after: 0, limit: 10_000 });
    const running = turns.filter(({ status }) => status === 'running');
    assert.ok(running.length <= 1, 'at most one turn runs');
    for (const [index, { readyAtMs }] of rows.queue.entries()) {
      const isReady = index === 0 && rows.turn === undefined;
      assert.equal(readyAtMs !== undefined, isReady, 'the first is ready while none runs');
    }
    assert.deepEqual(
      events.map(({ seq }) => seq),
      Array.from({ length: rows.thread.lastSeq }, (_, index) => index + 1),
      'no holes',
    );
    this.#checkEnds(turns);
    this.#checkOrder(events);
    await this.#checkAsks(events);
    await this.#checkFrames(rows);
    this.#checkText(rows, events);
  }

  #checkEnds(turns: readonly TurnRow[]): void {
    for (const turn of turns) {
      const before = this.#ended.get(turn.id);
      if (before !== undefined) assert.deepEqual(turn, before, 'an end is final');
      if (turn.endedAtMs !== undefined) this.#ended.set(turn.id, turn);
    }
  }

  /* First come, first served: whichever were cancelled while they waited never start. */
  #checkOrder(events: readonly EventRow[]): void {
    const started = events
      .filter(({ type, payload }) => type === 'status' && payload['event'] === 'started')
      .map(({ turnId = '' }) => this.#enqueued.indexOf(turnId));
    assert.deepEqual(
      started,
      started.toSorted((one, other) => one - other),
      'in order',
    );
    assert.equal(new Set(started).size, started.length, 'each starts once');
  }

  async #checkAsks(events: readonly EventRow[]): Promise<void> {
    const cards = events.filter(({ type }) => type === 'approval');
    const of = (state: string): unknown[] =>
      cards
        .filter(({ payload }) => payload['state'] === state)
        .map(({ payload }) => payload['ask']);
    for (const state of ['open', 'answered']) {
      assert.equal(new Set(of(state)).size, of(state).length, `${state} once`);
    }
    for (const askId of of('answered')) {
      const ask = await this.#records.ask(String(askId));
      assert.equal(ask?.state, 'answered');
    }
  }

  async #checkFrames({ run }: ThreadRows): Promise<void> {
    if (run === undefined) return;
    const answered: string[] = [];
    for (const { inputOffset, text } of await this.#records.frames(run.runId, 0)) {
      const place: string = `${run.runId} ${inputOffset}`;
      assert.equal(this.#frames.get(place) ?? text, text, 'the same bytes at the same offset');
      this.#frames.set(place, text);
      const { id, method } = JSON.parse(text) as {
        readonly id?: unknown;
        readonly method?: string;
      };
      if (method === undefined) answered.push(String(id));
    }
    assert.equal(new Set(answered).size, answered.length, 'each ask is answered at most once');
  }

  /* What is stored of the agent's text is what it has said up to the cursor, once. */
  #checkText({ run }: ThreadRows, events: readonly EventRow[]): void {
    const stored = events
      .filter(({ type }) => type === 'delta')
      .map(({ payload: { text } }) => (typeof text === 'string' ? text : ''))
      .join('');
    const said = (this.#agent?.said ?? []).slice(0, run === undefined ? 0 : numberOf(run.cursor));
    assert.equal(stored, this.#text + said.map(textOf).join(''));
  }
}

function numberOf(cursor: Cursor): number {
  return Number(cursor.split('.')[0]);
}

function resultOf(method: string) {
  if (method === 'initialize') return { protocolVersion: 1, agentCapabilities: {} };
  return method === 'session/new' ? { sessionId: 'native' } : { stopReason: 'end_turn' };
}

function textOf(message: RpcMessage): string {
  if (message.kind !== 'notification') return '';
  const { update } = message.params as { update: { content: { text: string } } };
  return update.content.text;
}
