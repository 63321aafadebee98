/*
 * Turns over all threads of an account, newest first, and the turn of a run; on both databases.
 */
import assert from 'node:assert/strict';
import type { ThreadRecords, ThreadRows, TurnRow } from '@clawdfather/agents';
import { onBoth } from '../../backends.ts';
import { createAccount } from '../../world.ts';
import {
  bareRun,
  bareTurn,
  busyThread,
  changeOf,
  committed,
  newThread,
  runIdOf,
} from './thread-rows.ts';

const turnAt = (id: string, queuedAtMs: number): TurnRow => ({ ...bareTurn(id), queuedAtMs });

function ended(turn: TurnRow, status: TurnRow['status'], result: TurnRow['result']): TurnRow {
  return { ...turn, status, result, startedAtMs: 1, endedAtMs: 2 };
}

const success = { code: 'success' } as const;

/* One turn of each end, one that runs, and those that wait behind it. */
async function fill(
  threads: ThreadRecords,
  name: string,
  [ended1, ended2, runs, waits]: readonly [number, number, number, number],
): Promise<ThreadRows> {
  const before = await newThread(threads);
  // What an agent said last has the words of another code in it.
  const message = 'it said "code":"success", and died';
  const change = changeOf(before, {
    thread: { status: 'running' },
    rows: {
      run: bareRun(runIdOf(`run-${name}`)),
      turn: {
        ...turnAt(`${name}-runs`, runs),
        status: 'running',
        runId: runIdOf(`run-${name}`),
        startedAtMs: 1,
      },
      queue: [turnAt(`${name}-waits`, waits)],
    },
    endedTurns: [
      ended(turnAt(`${name}-good`, ended1), 'completed', success),
      ended(turnAt(`${name}-bad`, ended2), 'interrupted', { code: 'error', message }),
    ],
  });
  return committed(threads, before, change);
}

onBoth('turns of all threads come newest first, by status and by code', async ({ open }) => {
  const store = await open();
  const { threads } = await createAccount(store, 'ann');
  // The thread that was made first has the newest turn.
  const one = await fill(threads, 'a', [10, 30, 50, 80]);
  const two = await fill(threads, 'b', [20, 40, 60, 70]);
  const ids = async (filter: Partial<Parameters<typeof threads.newestTurns>[0]> = {}) =>
    (await threads.newestTurns({ limit: 100, ...filter })).map(({ id }) => id);
  const all = ['a-waits', 'b-waits', 'b-runs', 'a-runs', 'b-bad', 'a-bad', 'b-good', 'a-good'];
  assert.deepEqual(await ids(), all);
  assert.deepEqual(await ids({ limit: 5 }), all.slice(0, 5));
  assert.deepEqual(await ids({ limit: 1 }), ['a-waits']);
  assert.deepEqual(await ids({ statuses: ['queued'] }), ['a-waits', 'b-waits']);
  assert.deepEqual(await ids({ statuses: ['running'] }), ['b-runs', 'a-runs']);
  assert.deepEqual(await ids({ statuses: ['completed'] }), ['b-good', 'a-good']);
  assert.deepEqual(await ids({ statuses: ['failed'] }), []);
  assert.deepEqual(await ids({ statuses: ['failed', 'interrupted'] }), ['b-bad', 'a-bad']);
  assert.deepEqual(await ids({ code: 'success' }), ['b-good', 'a-good']);
  assert.deepEqual(await ids({ code: 'error', limit: 1 }), ['b-bad']);
  assert.deepEqual(await ids({ code: 'error', statuses: ['completed'] }), []);
  for (const code of ['succes', 'SUCCESS', '%', '_uccess', '', '"', 'x","message":"it']) {
    assert.deepEqual(await ids({ code }), [], code);
  }
  const ofOne = { threadId: one.thread.id };
  assert.deepEqual(await ids({ ...ofOne, statuses: ['running'] }), ['a-runs']);
  assert.deepEqual(await ids({ ...ofOne, code: 'success' }), ['a-good']);
  assert.equal((await ids({ ...ofOne, limit: 3 })).length, 3);
  // With the thread that each is of, and all that belongs to it.
  const [newest] = await threads.newestTurns({ limit: 1 });
  assert.deepEqual(newest, { ...one.queue[0], threadId: one.thread.id });
  assert.equal((await threads.newestTurns({ limit: 2 }))[1]?.threadId, two.thread.id);
  const stranger = await createAccount(store, 'bob');
  assert.deepEqual(await stranger.threads.newestTurns({ limit: 9 }), []);
  assert.deepEqual(await stranger.threads.newestTurns({ ...ofOne, limit: 9 }), []);
});

onBoth('turns of an archived thread are listed where it is named', async ({ open }) => {
  const { threads } = await createAccount(await open(), 'ann');
  const before = await newThread(threads);
  const done = ended(turnAt('done', 10), 'completed', success);
  await committed(threads, before, changeOf(before, { endedTurns: [done] }));
  const { id: threadId } = before.thread;
  assert.equal((await threads.newestTurns({ limit: 9 })).length, 1);
  assert.equal(await threads.archive(threadId), 'archived');
  assert.deepEqual(await threads.newestTurns({ limit: 9 }), []);
  assert.deepEqual(await threads.newestTurns({ threadId, limit: 9 }), [{ ...done, threadId }]);
});

onBoth('a turn is found by its run: the one that runs, else the newest', async ({ open }) => {
  const store = await open();
  const { threads } = await createAccount(store, 'ann');
  const before = await busyThread(threads, 'a');
  const { thread, turn } = before;
  const runId = runIdOf('run-a');
  assert.equal((await threads.turnOfRun(runId))?.id, 'turn-a');
  const older = { ...ended(turn!, 'completed', success), queuedAtMs: 10 };
  const newer = { ...ended(turnAt('newer', 20), 'completed', success), runId };
  const run = { ...before.run!, state: 'closed', endedAtMs: 60 } as const;
  const rows = { run: undefined, turn: undefined, calls: new Map(), asks: new Map() };
  const change = changeOf(before, { rows, endedTurns: [older, newer], endedRun: run });
  await committed(threads, before, change);
  assert.deepEqual(await threads.turnOfRun(runId), { ...newer, threadId: thread.id });
  // The record of the run goes after a time, and its turns stay.
  assert.equal(await store.system.threads.forgetRunsBefore(Number.MAX_SAFE_INTEGER), 1);
  assert.deepEqual(await threads.endedRuns(thread.id), []);
  assert.equal((await threads.turnOfRun(runId))?.id, 'newer');
  assert.equal(await threads.turnOfRun(runIdOf('none')), undefined);
  const stranger = await createAccount(store, 'bob');
  assert.equal(await stranger.threads.turnOfRun(runId), undefined);
});
