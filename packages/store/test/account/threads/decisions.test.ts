/*
 * The decisions of packages/agents through the store: what they make can be written, and what is read back is what they go on with.
 */
import assert from 'node:assert/strict';
import {
  type AgentSetup,
  admitTurn,
  answerAsk,
  beginClosing,
  beginRun,
  cancelTurn,
  consume,
  endRun,
  enqueueTurn,
  holdRun,
  noText,
  type RpcMessage,
  type ThreadChange,
  type ThreadRecords,
  type ThreadRows,
} from '@clawdfather/agents';
import type { Cursor, RunId } from '@clawdfather/supervisor';
import { onBoth } from '../../backends.ts';
import { createAccount } from '../../world.ts';
import { instanceId, loaded, newThread, oddText, runIdOf } from './thread-rows.ts';

const setup: AgentSetup = { clientVersion: '0', mcpServers: [] };
const process = { rootPid: 10, processGroupId: 10, startTicks: 1, bootId: 'boot' };
const atMs = 1_000;

/** Every step is decided on what the database has, and what it has next is what was decided. */
class StoredThread {
  readonly #threads: ThreadRecords;
  rows: ThreadRows;
  #said = 0;

  constructor(threads: ThreadRecords, rows: ThreadRows) {
    this.#threads = threads;
    this.rows = rows;
  }

  async commit(change: ThreadChange | undefined): Promise<void> {
    assert.ok(change !== undefined, 'nothing was decided');
    assert.equal(await this.#threads.commit(this.rows, change), 'committed');
    const { version, id } = this.rows.thread;
    this.rows = await loaded(this.#threads, id);
    const { thread, asks, calls, ...open } = change.rows;
    const expected = {
      ...open,
      thread: { ...thread, version: version + 1 },
      asks: new Map([...asks].filter(([, { state }]) => state === 'open' || state === 'acting')),
      calls: new Map([...calls].filter(([, { state }]) => state === 'sent')),
    };
    assert.deepEqual(withoutAbsent(this.rows), withoutAbsent(expected));
  }

  async say(...messages: readonly RpcMessage[]): Promise<void> {
    const { runId, epoch, cursor: from } = this.rows.run!;
    /* What is asked is known by its place (W6), so each message has one of its own. */
    const steps = messages.map((message) => {
      this.#said += 1;
      const cursor = `${this.#said}.0` as Cursor;
      return { cursor, atMs, items: [{ kind: 'message', message, bytes: 1 } as const] };
    });
    const batch = { runId, epoch, from, steps };
    const step = consume(this.rows, batch, { setup, text: noText(), atMs });
    assert.equal(step.outcome, 'consumed');
    await this.commit(step.change);
  }

  async start(runId: RunId): Promise<void> {
    const program = { programRoot: '/opt', programPath: '/opt/agent' };
    const run = { runId, leaseId: 'lease', instanceId, commandHash: 'hash', ...program };
    await this.commit(beginRun(this.rows, { ...run, sessionId: 's' }, atMs));
    await this.commit(holdRun(this.rows, { runId, epoch: 1, process }, { setup, atMs }));
    await this.answer({ protocolVersion: 1, agentCapabilities: {} });
    await this.answer({ sessionId: oddText });
  }

  /** The agent answers the oldest of our calls. */
  async answer(result: Extract<RpcMessage, { kind: 'result' }>['result']): Promise<void> {
    const [id] = this.rows.calls.keys();
    assert.ok(id !== undefined);
    await this.say({ kind: 'result', id, result });
  }

  async enqueue(id: string): Promise<void> {
    const turn = { id, loadClass: 'short_task', requester: 'device:d' } as const;
    const prompt = [{ type: 'text', text: oddText }];
    await this.commit(enqueueTurn(this.rows, { ...turn, prompt }, atMs));
  }

  async end(): Promise<void> {
    const { runId } = this.rows.run!;
    const end = {
      runId,
      reason: 'signal',
      message: oddText,
      endedAtMs: atMs,
      state: 'lost',
    } as const;
    await this.commit(endRun(this.rows, end, { text: noText(), atMs }));
  }
}

/** `undefined` and absence are one. */
function withoutAbsent(value: unknown): unknown {
  if (value instanceof Map) return withoutAbsent(Object.fromEntries(value));
  if (Array.isArray(value)) return value.map(withoutAbsent);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => [name, withoutAbsent(each)]),
  );
}

onBoth('a conversation from its first turn to the end of its agent', async ({ open }) => {
  const { threads } = await createAccount(await open(), 'ann');
  const thread = new StoredThread(threads, await newThread(threads));
  await thread.enqueue('one');
  await thread.enqueue('two');
  await thread.commit(admitTurn(thread.rows, atMs));
  await thread.start(runIdOf('run-1'));
  assert.equal(thread.rows.thread.nativeSessionId, oddText);

  const text = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: oddText } };
  await thread.say({ kind: 'notification', method: 'session/update', params: { update: text } });
  const params = { options: [{ optionId: oddText }] };
  await thread.say(
    { kind: 'request', id: oddText, method: 'session/request_permission', params },
    { kind: 'request', id: null, method: 'elicitation/create', params: {} },
  );
  const [permission, question] = await threads.openAsks();
  assert.equal(thread.rows.asks.size, 2);
  const asks = [permission!, question!].toSorted((one) => (one.class === 'permission' ? -1 : 1));
  const answer = { kind: 'option', optionId: oddText } as const;
  const reply = { askId: asks[0]!.id, answer, actor: 'device:d' };
  const step = answerAsk(thread.rows, reply, atMs);
  assert.equal(step.outcome, 'answered');
  await thread.commit(step.change);
  assert.deepEqual((await threads.ask(asks[0]!.id))?.decision?.answer, answer);

  await thread.commit(cancelTurn(thread.rows, { turnId: 'one', cause: 'asked', actor: 'x' }, atMs));
  await thread.answer({ stopReason: 'cancelled', usage: { totalTokens: 5 } });
  assert.equal((await threads.turn('one'))?.status, 'cancelled');

  /* Its agent dies before it has the prompt: the turn waits again. */
  await thread.commit(admitTurn(thread.rows, atMs));
  await thread.end();
  assert.equal(thread.rows.queue[0]?.requeuedCount, 1);
  await thread.commit(admitTurn(thread.rows, atMs));
  await thread.start(runIdOf('run-2'));
  await thread.answer({ stopReason: 'end_turn' });
  const close = { reason: 'asked', actor: 'x', discards: false, cancelsTurn: true };
  await thread.commit(beginClosing(thread.rows, { runId: runIdOf('run-2'), ...close }, atMs));
  await thread.end();

  const { id, lastSeq } = thread.rows.thread;
  assert.deepEqual(
    (await threads.turns(id)).map(({ status }) => status),
    ['cancelled', 'completed'],
  );
  assert.equal((await threads.endedRuns(id)).length, 2);
  const events = await threads.events(id, { after: 0, limit: 1_000 });
  assert.deepEqual(
    events.map(({ seq }) => seq),
    Array.from({ length: lastSeq }, (_, index) => index + 1),
  );
  assert.ok(events.some(({ payload }) => payload['text'] === oddText));
  assert.equal(await threads.archive(id), 'archived');
});
