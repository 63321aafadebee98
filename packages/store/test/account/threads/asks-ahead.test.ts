/*
 * Asks that are noted and answered before their lines are consumed, through the store: by several processes at once, beside a gateway that
 * consumes the same lines (W6, X4).
 */
import assert from 'node:assert/strict';
import { type AgentSetup, consume, createWireReader, noText } from '@clawdfather/agents';
import { createAsksHere } from '@clawdfather/agents/asks';
import type { Store } from '@clawdfather/store';
import {
  type Cursor,
  type ManagedRun,
  type OutputEvent,
  outputStart,
  type RunRecord,
} from '@clawdfather/supervisor';
import { onBoth } from '../../backends.ts';
import { createAccount } from '../../world.ts';
import {
  bareCall,
  bareRun,
  bareTurn,
  changeOf,
  committed,
  instanceId,
  loaded,
  newThread,
  oddText,
  runIdOf,
} from './thread-rows.ts';

const runId = runIdOf('run-1');
const setup: AgentSetup = { clientVersion: '0', mcpServers: [] };

/* Longer than a row takes, so that it is a blob; and what no column of text takes. */
const options = [{ optionId: 'yes' }, { optionId: 'no', name: `${oddText}${'x'.repeat(70_000)}` }];
const asked = [
  { method: 'session/update', params: { update: { sessionUpdate: 'new' } } },
  { id: 0, method: 'session/request_permission', params: { options } },
  { id: 0, method: 'session/request_permission', params: { options } },
];

const journal = asked.map((message, index): OutputEvent => {
  const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const cursor = `${(index + 1) * 100_000}.0` as Cursor;
  return { kind: 'output', stream: 'stdout', bytes, atMs: 1_000 + index, cursor };
});

async function busyAgent(store: Store) {
  const { threads, accountId } = await createAccount(store, 'ann');
  const before = await newThread(threads);
  await committed(
    threads,
    before,
    changeOf(before, {
      rows: {
        run: { ...bareRun(runId), epoch: 1, phase: 'ready' },
        turn: { ...bareTurn('turn'), status: 'running', runId, promptCall: 1, promptEnd: 10 },
        calls: new Map([[1, { ...bareCall(1), method: 'session/prompt', turnId: 'turn' }]]),
      },
    }),
  );
  return { accountId, threadId: before.thread.id };
}

/* A process without a gateway. What it writes to the agent is left in `written`. */
function operator(store: Store, written: Map<number, string>) {
  const run: Pick<ManagedRun, 'outputSoFar' | 'write'> = {
    async *outputSoFar(from = outputStart) {
      const at = Number.parseFloat(from);
      yield* journal.filter(({ cursor }) => Number.parseFloat(cursor) > at);
    },
    write: async (data, { offset = -1 } = {}) => void written.set(offset, String(data)),
  };
  return createAsksHere({
    recordsOf: (accountId) => store.forAccount(accountId).threads,
    due: store.system.threads,
    supervisor: {
      instanceId,
      get: () => ({}) as RunRecord,
      attach: async () => run as ManagedRun,
    },
    clock: { wallMs: () => 5_000 },
  });
}

/* A gateway reads the next line, until that is stored. */
async function consumeNext(
  store: Store,
  { accountId, threadId }: Awaited<ReturnType<typeof busyAgent>>,
) {
  const { threads } = store.forAccount(accountId);
  for (;;) {
    const rows = await loaded(threads, threadId);
    const from = rows.run!.cursor;
    const [next] = journal.filter(({ cursor }) => Number.parseFloat(cursor) > Number(from));
    if (next === undefined) return;
    const steps = createWireReader(from).push(next);
    const step = consume(
      rows,
      { runId, epoch: 1, from, steps },
      { setup, text: noText(), atMs: 9 },
    );
    assert.equal(step.outcome, 'consumed');
    if ((await threads.commit(rows, step.change)) === 'committed') return;
  }
}

onBoth('noted ahead, answered, and consumed: one row, as it was decided', async ({ open }) => {
  const store = await open();
  const place = await busyAgent(store);
  const { threads } = store.forAccount(place.accountId);
  const written = new Map<number, string>();
  const asks = operator(store, written);
  const [first, second] = await asks.list();
  assert.ok(first && second);
  assert.deepEqual([first.ask.params, first.ask.turnId], [{ options }, 'turn']);
  assert.deepEqual((await asks.list()).length, 2);
  const { run, asks: ahead } = await loaded(threads, place.threadId);
  assert.deepEqual([run?.cursor, ahead.size], [outputStart, 2]);
  assert.equal((await threads.openAsks()).length, 2);

  const reply = { answer: { kind: 'option', optionId: 'yes' }, actor: 'cli:ann' } as const;
  assert.equal((await asks.answer(first, reply)).outcome, 'answered');
  const now = (await loaded(threads, place.threadId)).asks;
  assert.deepEqual([...now.values()].map(({ state }) => state).toSorted(), ['answered', 'open']);
  for (let lines = 0; lines < journal.length; lines += 1) await consumeNext(store, place);
  const after = await loaded(threads, place.threadId);
  assert.deepEqual([...after.asks.keys()], [second.ask.id], 'what was consumed is as any other');
  assert.equal(after.asks.get(second.ask.id)?.notedAheadAtMs, undefined);
  const { state, decision, notedAheadAtMs } = (await threads.ask(first.ask.id))!;
  assert.deepEqual([state, decision?.actor, notedAheadAtMs], ['answered', 'cli:ann', undefined]);
  const events = await threads.events(place.threadId, { after: 0, limit: 99 });
  const states = events.flatMap(({ type, payload }) =>
    type === 'approval' ? [[payload['ask'], payload['state']]] : [],
  );
  assert.deepEqual(states, [
    [first.ask.id, 'open'],
    [second.ask.id, 'open'],
    [first.ask.id, 'answered'],
  ]);
  assert.deepEqual([...written.keys()], [0]);
});

onBoth('three who answer while a gateway consumes: one answer, one frame', async ({ open }) => {
  const stores = [await open(), await open(), await open()];
  const place = await busyAgent(stores[0]!);
  const written = new Map<number, string>();
  const people = stores.map((store) => operator(store, written));
  const gateway = async () => {
    for (let lines = 0; lines < journal.length; lines += 1) await consumeNext(stores[0]!, place);
  };
  const answered = people.map(async (asks, person) => {
    const [first] = await asks.list();
    // Another one was faster.
    if (first === undefined || first.ask.cursor !== journal[1]?.cursor) return 'ask-decided';
    const answer = { kind: 'option', optionId: person === 0 ? 'yes' : 'no' } as const;
    return (await asks.answer(first, { answer, actor: `cli:${person}` })).outcome;
  });
  const [, ...outcomes] = await Promise.all([gateway(), ...answered]);
  assert.deepEqual(outcomes.toSorted(), ['answered', 'ask-decided', 'ask-decided']);
  const { threads } = stores[0]!.forAccount(place.accountId);
  const frames = await threads.frames(runId, 0);
  assert.deepEqual([frames.length, [...written.values()]], [1, frames.map(({ text }) => text)]);
  const rows = await loaded(threads, place.threadId);
  assert.deepEqual(
    [...rows.asks.values()].map(({ state }) => state),
    ['open'],
  );
  const events = await threads.events(place.threadId, { after: 0, limit: 99 });
  assert.equal(events.filter(({ type }) => type === 'approval').length, 3);
});
