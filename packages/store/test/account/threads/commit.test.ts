/*
 * A change of a thread: every row comes back as it was written, in one order, or not at all.
 */
import assert from 'node:assert/strict';
import type { AskRow, TurnRow } from '@clawdfather/agents';
import { inlineBytesMax, rowsPerInsertMax } from '../../../src/limits.ts';
import { onBoth } from '../../backends.ts';
import { createAccount } from '../../world.ts';
import {
  bareAsk,
  bareCall,
  bareRun,
  bareTurn,
  busyThread,
  changeOf,
  committed,
  delta,
  endedTurn,
  frameAt,
  fullAsk,
  fullRun,
  fullThread,
  fullTurn,
  noMessage,
  loaded,
  newThread,
  oddText,
  runIdOf,
} from './thread-rows.ts';

const runId = runIdOf('run-1');

onBoth('rows come back as they were, with every field and with none', async ({ open }) => {
  const { threads } = await createAccount(await open(), 'ann');
  const before = await newThread(threads);
  const bare = changeOf(before, {
    rows: {
      run: bareRun(runId),
      turn: { ...bareTurn('turn'), status: 'running' },
      queue: [bareTurn('waits')],
      calls: new Map([[1, bareCall(1)]]),
      asks: new Map([['ask', bareAsk('ask', runId)]]),
    },
  });
  const first = await committed(threads, before, bare);
  const version = before.thread.version + 1;
  assert.deepEqual(first, { ...bare.rows, thread: { ...bare.rows.thread, version } });

  /* The same rows, with all that can be said of them. What never changes stays as it was inserted. */
  const turn: TurnRow = {
    ...fullTurn('turn', runId),
    prompt: bareTurn('turn').prompt,
    ...noMessage,
  };
  const full = changeOf(first, {
    thread: {
      status: 'running',
      title: 'another',
      ...fullThread,
      updatedAtMs: 77,
    },
    rows: {
      run: fullRun(runId),
      turn,
      queue: [first.queue[0]!, fullQueued('later')],
      calls: new Map([
        [1, first.calls.get(1)!],
        [3, { ...bareCall(3), turnId: 'turn' }],
      ]),
      asks: new Map([
        ['ask', first.asks.get('ask')!],
        ['ask-2', fullAsk('ask-2', runId)],
      ]),
    },
  });
  const second = await committed(threads, first, full);
  const { clientMessageId: _absent, messageHash: _nor, trace: _none, ...withoutMessage } = turn;
  assert.deepEqual(second, {
    ...full.rows,
    turn: withoutMessage,
    thread: { ...full.rows.thread, version: version + 1 },
  });
  assert.deepEqual(await threads.get(before.thread.id), second.thread);

  /* And back to nothing. */
  const { process: _p, capabilities: _c, openMessage: _o, ...more } = second.run!;
  const { choices: _choices, setting: _setting, ...bareAgain } = more;
  const third = await committed(
    threads,
    second,
    changeOf(second, { rows: { run: bareAgain, turn: first.turn } }),
  );
  assert.deepEqual(third.run, bareAgain);
  assert.deepEqual(third.turn, first.turn);
});

function fullQueued(id: string): TurnRow {
  return { ...fullTurn(id, runId), status: 'queued' };
}

onBoth('what has ended is not among the rows, and can be asked for', async ({ open }) => {
  const { threads } = await createAccount(await open(), 'ann');
  const before = await busyThread(threads, 'a');
  const { id } = before.thread;
  const ask = before.asks.get('ask-a')!;
  const answered: AskRow = {
    ...ask,
    state: 'answered',
    decision: { answer: { kind: 'option', optionId: oddText }, actor: 'device:d', atMs: 50 },
  };
  const turn = endedTurn(before.turn!);
  const run = { ...before.run!, state: 'lost', endedAtMs: 60 } as const;
  const after = await committed(
    threads,
    before,
    changeOf(before, {
      thread: { status: 'queued' },
      rows: {
        run: undefined,
        turn: undefined,
        calls: new Map(),
        asks: new Map([[ask.id, answered]]),
      },
      endedTurns: [turn],
      endedRun: run,
    }),
  );
  assert.deepEqual(
    [after.run, after.turn, after.calls.size, after.asks.size],
    [undefined, undefined, 0, 0],
  );
  assert.deepEqual(after.queue, before.queue);
  assert.deepEqual(await threads.endedRuns(id), [run]);
  assert.deepEqual(await threads.turns(id), [...before.queue, turn].toSorted(byPlace));
  assert.deepEqual(await threads.turn(turn.id), { ...turn, threadId: id });
  assert.deepEqual(await threads.turnOfMessage(id, 'message-turn-a'), turn);
  assert.equal(await threads.turnOfMessage(id, 'another'), undefined);
  assert.deepEqual(await threads.ask(ask.id), { ...answered, threadId: id });
  assert.deepEqual(await threads.openAsks(), []);
  assert.equal(await threads.ask('none'), undefined);
  assert.equal(await threads.turn('none'), undefined);
});

/* They were added in one change: those that wait first. */
const byPlace = (one: TurnRow, other: TurnRow): number =>
  Number(other.id.startsWith('waits')) - Number(one.id.startsWith('waits'));

onBoth('a run that ends makes room for the next in the same change', async ({ open }) => {
  const { threads } = await createAccount(await open(), 'ann');
  const before = await busyThread(threads, 'a');
  const next = bareRun(runIdOf('run-next'));
  const after = await committed(
    threads,
    before,
    changeOf(before, {
      rows: {
        run: next,
        turn: { ...before.queue[0]!, status: 'running' },
        queue: [],
        calls: new Map([[1, bareCall(1)]]),
      },
      endedTurns: [endedTurn(before.turn!)],
      endedRun: { ...before.run!, state: 'closed', endedAtMs: 5 },
      frames: [frameAt(0, 'first of the next')],
    }),
  );
  assert.deepEqual(after.run, next);
  assert.equal(after.turn?.id, 'waits-a');
  assert.deepEqual([...after.calls.keys()], [1]);
  assert.deepEqual(await threads.frames(next.runId, 0), [frameAt(0, 'first of the next')]);
});

onBoth('turns wait in their order, and one that is put back is the first', async ({ open }) => {
  const { threads } = await createAccount(await open(), 'ann');
  let rows = await newThread(threads);
  /* Names and times say nothing about the order. */
  for (const id of ['c', 'a', 'd', 'b']) {
    rows = await committed(
      threads,
      rows,
      changeOf(rows, { rows: { queue: [...rows.queue, bareTurn(id)] } }),
    );
  }
  const ids = () => rows.queue.map(({ id }) => id);
  assert.deepEqual(ids(), ['c', 'a', 'd', 'b']);
  const [first, ...rest] = rows.queue;
  const turn: TurnRow = { ...first!, status: 'running' };
  rows = await committed(threads, rows, changeOf(rows, { rows: { turn, queue: rest } }));
  assert.deepEqual([rows.turn?.id, ids()], ['c', ['a', 'd', 'b']]);
  const back: TurnRow = { ...rows.turn!, status: 'queued', requeuedCount: 1 };
  rows = await committed(
    threads,
    rows,
    changeOf(rows, { rows: { turn: undefined, queue: [back, ...rows.queue] } }),
  );
  assert.deepEqual(ids(), ['c', 'a', 'd', 'b']);
});

onBoth('who decides on rows that are not the newest writes nothing', async (backend) => {
  const { threads } = await createAccount(await backend.open(), 'ann');
  const before = await busyThread(threads, 'a');
  const { id } = before.thread;
  const mine = changeOf(before, { events: [delta(3)] });
  const after = await committed(threads, before, mine);
  const late = changeOf(before, {
    thread: { title: 'late' },
    rows: {
      run: { ...before.run!, epoch: 99 },
      queue: [...before.queue, { ...bareTurn('late'), prompt: [{ text: 'x'.repeat(70_000) }] }],
      asks: new Map([...before.asks, ['late', bareAsk('late', before.run!.runId)]]),
      calls: new Map([...before.calls, [9, bareCall(9)]]),
    },
    events: [delta(3, { text: 'late' })],
    frames: [frameAt(400, 'late')],
  });
  const tables = await allRows(backend);
  assert.equal(await threads.commit(before, late), 'conflict');
  assert.deepEqual(await allRows(backend), tables);
  assert.deepEqual(await loaded(threads, id), after);
});

async function allRows({ openEngine }: Parameters<Parameters<typeof onBoth>[1]>[0]) {
  const engine = await openEngine();
  const names = [
    'threads',
    'turns',
    'turn_events',
    'agent_runs',
    'acp_frames',
    'acp_calls',
    'acp_asks',
    'blobs',
  ] as const;
  return await engine.read((db) =>
    Promise.all(names.map((name) => db.selectFrom(name).selectAll().execute())),
  );
}

onBoth('of many who decide at once, one at a time is right', async ({ open }) => {
  const [one, other] = [await open(), await open()];
  const { accountId, threads } = await createAccount(one, 'ann');
  const { thread } = await newThread(threads);
  const writers = [threads, other.forAccount(accountId).threads];
  const each = 15;
  await Promise.all(
    writers.map(async (mine, writer) => {
      for (let count = 0; count < each; ) {
        const rows = await loaded(mine, thread.id);
        const event = delta(rows.thread.lastSeq + 1, { writer, count });
        const outcome = await mine.commit(rows, changeOf(rows, { events: [event] }));
        if (outcome === 'committed') count += 1;
      }
    }),
  );
  const events = await threads.events(thread.id, { after: 0, limit: 1_000 });
  assert.deepEqual(
    events.map(({ seq }) => seq),
    Array.from({ length: each * 2 }, (_, index) => index + 1),
  );
  for (const writer of [0, 1]) {
    const counts = events.filter(({ payload }) => payload['writer'] === writer);
    assert.deepEqual(
      counts.map(({ payload }) => payload['count']),
      Array.from({ length: each }, (_, index) => index),
    );
  }
});

onBoth('what is loaded while others write is of one moment', async ({ open }) => {
  const [one, other] = [await open(), await open()];
  const { accountId, threads } = await createAccount(one, 'ann');
  let rows = await busyThread(threads, 'a');
  const { id } = rows.thread;
  const step = (count: number) =>
    changeOf(rows, {
      thread: { title: `${count}` },
      rows: {
        run: { ...rows.run!, acceptedInput: count },
        turn: { ...rows.turn!, promptCall: count },
      },
    });
  rows = await committed(threads, rows, step(0));
  let isWriting = true;
  const reading = (async () => {
    const reader = other.forAccount(accountId).threads;
    while (isWriting) {
      const { thread, run, turn } = await loaded(reader, id);
      const told = [`${run?.acceptedInput}`, `${turn?.promptCall}`];
      assert.deepEqual(told, [thread.title, thread.title]);
      // On SQLite nothing in this loop waits, and the writer has to have its turn.
      await new Promise(setImmediate);
    }
  })();
  for (let count = 1; count <= 60; count += 1) rows = await committed(threads, rows, step(count));
  isWriting = false;
  await reading;
});

onBoth('events come in order and without holes, however many a change has', async ({ open }) => {
  const { threads } = await createAccount(await open(), 'ann');
  const before = await newThread(threads);
  const { id } = before.thread;
  const many = 3 * rowsPerInsertMax + 1;
  const events = Array.from({ length: many }, (_, index) => ({
    ...delta(index + 1, { text: oddText, index }),
    ...(index % 2 === 0 ? {} : { turnId: `turn-${index}` }),
  }));
  const after = await committed(threads, before, changeOf(before, { events }));
  assert.equal(after.thread.lastSeq, many);
  assert.deepEqual(await threads.events(id, { after: 0, limit: many }), events);
  assert.deepEqual(await threads.events(id, { after: 7, limit: 2 }), events.slice(7, 9));
  assert.deepEqual(await threads.events(id, { after: many, limit: 2 }), []);
  for (const seq of [many, many + 2]) {
    const wrong = changeOf(after, { events: [delta(seq)] });
    await assert.rejects(threads.commit(after, wrong), { code: 'value-invalid' });
  }
  const noEvent = changeOf(after, { thread: { lastSeq: many + 1 } });
  await assert.rejects(threads.commit(after, noEvent), { code: 'value-invalid' });
});

onBoth('what is large is whole again when it is read', async (backend) => {
  const { threads } = await createAccount(await backend.open(), 'ann');
  const before = await newThread(threads);
  const { id } = before.thread;
  /* Three bytes a character, and at the edge: `{"text":"…"}` has 11 bytes more. */
  const large = oddText + '€'.repeat(inlineBytesMax / 3);
  const edge = 'x'.repeat(inlineBytesMax - '{"text":""}'.length);
  const turn: TurnRow = { ...bareTurn('turn'), prompt: [{ text: large }] };
  const ask: AskRow = { ...bareAsk('ask', runId), params: { text: large } };
  const events = [
    delta(1, { text: large }),
    delta(2, { text: edge }),
    delta(3, { text: `${edge}x` }),
  ];
  const change = changeOf(before, {
    rows: { run: bareRun(runId), queue: [turn], asks: new Map([['ask', ask]]) },
    events,
  });
  const after = await committed(threads, before, change);
  assert.deepEqual(after.queue, [turn]);
  assert.deepEqual(after.asks.get('ask'), ask);
  assert.deepEqual(await threads.openAsks(), [{ ...ask, threadId: id }]);
  assert.deepEqual((await threads.turn('turn'))?.prompt, turn.prompt);
  assert.deepEqual(await threads.events(id, { after: 0, limit: 9 }), events);
  const engine = await backend.openEngine();
  const blobs = await engine.read((db) => db.selectFrom('blobs').select('hash').execute());
  /* The payload of the first event and the params of the ask are the same text. */
  assert.equal(blobs.length, 3);
});

onBoth('frames stay until the agent has all of them', async ({ open }) => {
  const { threads } = await createAccount(await open(), 'ann');
  const before = await newThread(threads);
  const frames = [frameAt(0, 'äö\n'), frameAt(5, '{"x":"\\u0000"}\n'), frameAt(20, 'end\n')];
  await committed(threads, before, changeOf(before, { rows: { run: bareRun(runId) }, frames }));
  assert.deepEqual(await threads.frames(runId, 0), frames);
  assert.deepEqual(await threads.frames(runId, 5), frames.slice(1));
  assert.deepEqual(await threads.frames(runId, 6), frames.slice(1), 'it has only a part');
  await threads.trimFrames(runId, 4);
  assert.deepEqual(await threads.frames(runId, 0), frames);
  await threads.trimFrames(runId, 20);
  assert.deepEqual(await threads.frames(runId, 0), frames.slice(2));
});

onBoth('an ask that is read twice stays as it was decided (W6)', async ({ open }) => {
  const { threads } = await createAccount(await open(), 'ann');
  const before = await busyThread(threads, 'a');
  const ask = before.asks.get('ask-a')!;
  const answered: AskRow = {
    ...ask,
    state: 'answered',
    decision: { answer: { kind: 'cancel' }, actor: 'cli', atMs: 1 },
  };
  const after = await committed(
    threads,
    before,
    changeOf(before, { rows: { asks: new Map([[ask.id, answered]]) } }),
  );
  assert.equal(after.asks.size, 0);
  const again = await committed(
    threads,
    after,
    changeOf(after, { rows: { asks: new Map([[ask.id, { ...ask }]]) } }),
  );
  assert.equal(again.asks.size, 0);
  const { id: threadId } = before.thread;
  assert.deepEqual(await threads.ask(ask.id), { ...answered, threadId });
});

onBoth(
  'what is being done on a host stays among the rows, with its record, and is no card',
  async ({ open }) => {
    const { threads } = await createAccount(await open(), 'ann');
    const before = await busyThread(threads, 'a');
    const ask = before.asks.get('ask-a')!;
    const acting: AskRow = {
      ...ask,
      id: 'effect',
      class: 'effect',
      state: 'acting',
      effect: { kind: 'write', oldHash: 'old', newHash: 'new' },
    };
    const asks = new Map([...before.asks, [acting.id, acting] as const]);
    const after = await committed(threads, before, changeOf(before, { rows: { asks } }));
    assert.deepEqual(after.asks.get(acting.id), acting);
    assert.deepEqual(
      (await threads.openAsks()).map(({ id }) => id),
      [ask.id],
    );
    const done = new Map([[acting.id, { ...acting, state: 'answered' as const }]]);
    const last = await committed(threads, after, changeOf(after, { rows: { asks: done } }));
    assert.deepEqual([...last.asks.keys()], [ask.id]);
    assert.deepEqual((await threads.ask(acting.id))?.effect, acting.effect);
  },
);

onBoth('the database refuses a second running turn and a second living run', async ({ open }) => {
  const { threads } = await createAccount(await open(), 'ann');
  const before = await busyThread(threads, 'a');
  const tables = await loaded(threads, before.thread.id);
  const twoTurns = changeOf(before, {
    rows: { queue: before.queue.map((turn) => ({ ...turn, status: 'running' as const })) },
  });
  await assert.rejects(threads.commit(before, twoTurns), { code: 'store-failed' });
  const twoRuns = changeOf(before, { rows: { run: bareRun(runIdOf('second')) } });
  await assert.rejects(threads.commit(before, twoRuns), { code: 'store-failed' });
  assert.deepEqual(await loaded(threads, before.thread.id), tables);
});
