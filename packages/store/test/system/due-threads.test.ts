/*
 * Threads of all accounts: which have something to do, and what is forgotten of those that have not.
 */
import assert from 'node:assert/strict';
import type { ArtifactSyncRow, AskRow } from '@clawdfather/agents';
import { looksAtOnceMax, runsForgottenAtOnce } from '../../src/limits.ts';
import { onBoth } from '../backends.ts';
import { createAccount } from '../world.ts';
import {
  bareAsk,
  bareRun,
  bareTurn,
  busyThread,
  changeOf,
  committed,
  delta,
  endedTurn,
  frameAt,
  instanceId,
  newThread,
  runIdOf,
} from '../account/threads/thread-rows.ts';

onBoth('threads with runs and turns are found in all accounts', async ({ open }) => {
  const store = await open();
  const { threads: due } = store.system;
  const ann = await createAccount(store, 'ann');
  const bob = await createAccount(store, 'bob');
  assert.deepEqual(await due.withRuns(instanceId), []);
  assert.deepEqual(await due.withTurns(), []);
  assert.equal(await due.runningTurns(), 0);

  const busy = await busyThread(ann.threads, 'a');
  const { thread } = await newThread(bob.threads);
  const idle = await bob.threads.load(thread.id);
  const older = { ...bareTurn('older'), queuedAtMs: 1 };
  await committed(bob.threads, idle!, changeOf(idle!, { rows: { queue: [older] } }));
  await newThread(bob.threads);
  const [ofAnn, ofBob] = [
    { accountId: ann.accountId, id: busy.thread.id },
    { accountId: bob.accountId, id: thread.id },
  ];
  assert.deepEqual(await due.withRuns(instanceId), [ofAnn]);
  assert.deepEqual(await due.withRuns('another'), []);
  assert.deepEqual(await due.withTurns(), [ofBob, ofAnn]);
  assert.equal(await due.runningTurns(), 1);
  assert.equal(await due.waitingTurns(), 1 + busy.queue.length);

  const done = changeOf(busy, {
    rows: { run: undefined, turn: undefined, queue: [], calls: new Map() },
    endedTurns: [busy.turn!, ...busy.queue].map(endedTurn),
    endedRun: { ...busy.run!, state: 'closed', endedAtMs: 5 },
  });
  await committed(ann.threads, busy, done);
  assert.deepEqual(await due.withRuns(instanceId), []);
  assert.deepEqual(await due.withTurns(), [ofBob]);
  assert.equal(await due.runningTurns(), 0);
});

onBoth('turns at other gateways are found with the heartbeat of those', async ({ open }) => {
  const store = await open();
  const { threads: due, instances } = store.system;
  const { accountId, threads } = await createAccount(store, 'ann');
  const busy = await busyThread(threads, 'a');
  const unstarted = await newThread(threads);
  const turn = { ...bareTurn('admitted'), status: 'running', instanceId: 'gateway-c' } as const;
  await committed(threads, unstarted, changeOf(unstarted, { rows: { turn } }));
  const owner = await instances.start({ instanceId, version: '1' });
  const atA = { accountId, id: busy.thread.id, turnId: busy.turn?.id, instanceId };
  const atC = { accountId, id: unstarted.thread.id, turnId: 'admitted', instanceId: 'gateway-c' };
  const seen = await due.elsewhere('gateway-b');
  const beat = seen.find((one) => one.instanceId === instanceId)?.beat;
  assert.match(beat ?? '', /^1 \d+$/);
  const byId = (one: { turnId?: string | undefined }, other: typeof one): number =>
    `${one.turnId}` < `${other.turnId}` ? -1 : 1;
  assert.deepEqual(seen.toSorted(byId), [{ ...atA, beat }, atC].toSorted(byId));
  assert.deepEqual(await due.elsewhere('gateway-c'), [{ ...atA, beat }]);
  assert.deepEqual(await due.elsewhere(instanceId), [atC]);
  await instances.start({ instanceId, version: '1' });
  const [again] = await due.elsewhere('gateway-c');
  assert.match(again?.beat ?? '', /^2 \d+$/);
  assert.equal(await instances.heartbeat(owner), 'superseded');
});

onBoth('runs are forgotten with all that hangs on them, and only old ones', async (backend) => {
  const store = await backend.open();
  const { threads } = await createAccount(store, 'ann');
  let rows = await newThread(threads);
  const { id } = rows.thread;
  const large = 'x'.repeat(70_000);
  for (const [endedAtMs, name] of [100, 200].map((at) => [at, `run-${at}`] as const)) {
    const run = bareRun(runIdOf(name));
    const asks: readonly AskRow[] = [
      { ...bareAsk(`own-${name}`, run.runId), params: { name, large } },
      { ...bareAsk(`shown-${name}`, run.runId), params: { shown: large } },
    ];
    rows = await committed(
      threads,
      rows,
      changeOf(rows, {
        rows: { run, asks: new Map(asks.map((ask) => [ask.id, ask])) },
        events: [delta(rows.thread.lastSeq + 1, { shown: large })],
        frames: [frameAt(0, 'x\n')],
      }),
    );
    const ended = { ...rows.run!, state: 'closed', endedAtMs } as const;
    const closed = [...rows.asks.values()].map(
      (ask) => [ask.id, { ...ask, state: 'void' }] as const,
    );
    rows = await committed(
      threads,
      rows,
      changeOf(rows, { rows: { run: undefined, asks: new Map(closed) }, endedRun: ended }),
    );
  }
  const living = await busyThread(threads, 'a');
  const engine = await backend.openEngine();
  const blobs = async () =>
    (await engine.read((db) => db.selectFrom('blobs').select('hash').execute())).length;
  assert.equal(await blobs(), 3);
  const { threads: due } = store.system;
  assert.equal(await due.forgetRunsBefore(100), 0);
  assert.equal(await due.forgetRunsBefore(101), 1);
  assert.equal(await blobs(), 2, 'the one that no event shows is gone');
  assert.deepEqual(
    (await threads.endedRuns(id)).map(({ runId }) => runId),
    ['run-200'],
  );
  assert.equal(await threads.ask('own-run-100'), undefined);
  assert.deepEqual(await threads.frames(runIdOf('run-100'), 0), []);
  assert.equal((await threads.frames(runIdOf('run-200'), 0)).length, 1);
  assert.equal((await threads.ask('own-run-200'))?.state, 'void');
  assert.equal(await due.forgetRunsBefore(Number.MAX_SAFE_INTEGER), 1);
  assert.equal(await blobs(), 1);
  const events = await threads.events(id, { after: 0, limit: 9 });
  assert.deepEqual(
    events.map(({ payload }) => payload['shown'] === large),
    [true, true],
  );
  assert.deepEqual(await threads.load(living.thread.id), living);
});

onBoth('many runs are forgotten in several transactions', async ({ open }) => {
  const store = await open();
  const { threads } = await createAccount(store, 'ann');
  const many = 2 * runsForgottenAtOnce + 1;
  let rows = await newThread(threads);
  for (let count = 0; count < many; count += 1) {
    const run = { ...bareRun(runIdOf(`run-${count}`)), state: 'lost', endedAtMs: count } as const;
    rows = await committed(threads, rows, changeOf(rows, { endedRun: run }));
  }
  const ended = (await threads.endedRuns(rows.thread.id)).map(({ endedAtMs }) => endedAtMs);
  assert.deepEqual(
    ended,
    Array.from({ length: many }, (_, index) => many - 1 - index),
  );
  assert.equal(await store.system.threads.forgetRunsBefore(many), many);
});

onBoth(
  'looks at what turns have left are read in pages, the oldest first, each once',
  async ({ open }) => {
    const store = await open();
    const { artifacts } = store.system;
    const ann = await createAccount(store, 'ann');
    const before = await newThread(ann.threads);
    // More than two pages; many at the same time.
    const turns = Array.from({ length: looksAtOnceMax * 2 + 1 }, (_one, index) => ({
      ...endedTurn(bareTurn(`turn-${String(index).padStart(3, '0')}`)),
      askedAtMs: Math.floor(index / 50),
    }));
    const syncOf = (turnId: string, askedAtMs: number): ArtifactSyncRow => ({
      turnId,
      instanceId,
      status: 'syncing',
      missing: [],
      missingCount: 0,
      itemCount: 0,
      askedAtMs,
      endedAtMs: undefined,
    });
    const syncs = new Map(turns.map(({ id, askedAtMs }) => [id, syncOf(id, askedAtMs)]));
    const endedTurns = turns.map(({ askedAtMs: _asked, ...turn }) => turn);
    await committed(ann.threads, before, changeOf(before, { rows: { syncs }, endedTurns }));
    const found: string[] = [];
    let page = await artifacts.due(instanceId);
    assert.equal(page.length, looksAtOnceMax);
    for (; page.length > 0; page = await artifacts.due(instanceId, page.at(-1))) {
      found.push(...page.map(({ turnId }) => turnId));
    }
    assert.deepEqual(
      found,
      turns.map(({ id }) => id),
    );
    assert.deepEqual(await artifacts.due('another'), []);
  },
);
