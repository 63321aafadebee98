/*
 * What agents ask for: threads that they spawn, within bounds; keys that end with their run; and ends of turns that are to be told.
 */
import assert from 'node:assert/strict';
import type { RunId } from '@clawdfather/supervisor';
import { onBoth } from '../backends.ts';
import { createAccount, createWorld } from '../world.ts';
import {
  bareRun,
  bareTurn,
  busyThread,
  changeOf,
  endedTurn,
  instanceId,
  newThread,
} from './threads/thread-rows.ts';

const asked = { agent: 'fake', cwd: '/w', title: 't', instanceId, depthMax: 3, activeMax: 2 };

onBoth('a spawned thread has all above it in its row, once however often', async ({ open }) => {
  const { threads, agentSessions } = await createAccount(await open(), 'ann');
  const root = (await newThread(threads)).thread;
  const audit = { action: 'thread.create', actor: `thread:${root.id}` } as const;
  const child = { ...asked, id: 'c'.repeat(16), parentId: root.id };
  const made = await agentSessions.spawn(child, audit);
  assert.ok(made.outcome === 'made');
  const { ancestors, rootId, ownerId, spawnedBy, parentId } = made.thread;
  assert.deepEqual([ancestors, rootId, ownerId], [[root.id], root.id, root.id]);
  assert.deepEqual([spawnedBy, parentId], [root.id, root.id]);
  const again = await agentSessions.spawn({ ...child, title: 'other' }, audit);
  assert.deepEqual(again, { outcome: 'known', thread: made.thread });
  const deeper = { ...asked, id: 'd'.repeat(16), parentId: made.thread.id };
  const grandchild = await agentSessions.spawn(deeper);
  assert.ok(grandchild.outcome === 'made');
  assert.deepEqual(grandchild.thread.ancestors, [root.id, made.thread.id]);
  assert.equal(grandchild.thread.rootId, root.id);
  assert.deepEqual((await threads.list({ rootId: root.id })).total, 2);
  // The id of a thread that is somebody else's child, or nobody's, is not handed out.
  const theirs = { ...asked, parentId: root.id };
  for (const id of [grandchild.thread.id, root.id]) {
    assert.deepEqual(await agentSessions.spawn({ ...theirs, id }), { outcome: 'id-taken' });
  }
  const gone = { ...asked, id: 'e'.repeat(16), parentId: 'f'.repeat(16) };
  assert.deepEqual(await agentSessions.spawn(gone), { outcome: 'parent-gone' });
});

onBoth('a tree is no deeper and no wider than it may be', async ({ open }) => {
  const { threads, agentSessions } = await createAccount(await open(), 'ann');
  const root = (await newThread(threads)).thread;
  let parentId = root.id;
  for (const id of ['a', 'b', 'c'].map((letter) => letter.repeat(16))) {
    const spawned = await agentSessions.spawn({ ...asked, id, parentId });
    assert.equal(spawned.outcome, 'made');
    parentId = id;
  }
  const id = 'd'.repeat(16);
  assert.deepEqual(await agentSessions.spawn({ ...asked, id, parentId }), { outcome: 'too-deep' });
  // One with a turn that waits, and one with an agent that lives: these count, idle ones do not.
  const [first, second] = [await threads.load('a'.repeat(16)), await threads.load('b'.repeat(16))];
  assert.ok(first && second);
  await threads.commit(
    first,
    changeOf(first, { rows: { queue: [bareTurn('t')] }, thread: { status: 'queued' } }),
  );
  const ofRoot = { ...asked, id, parentId: root.id };
  assert.equal((await agentSessions.spawn({ ...ofRoot, activeMax: 1 })).outcome, 'too-many');
  assert.equal((await agentSessions.spawn({ ...ofRoot, activeMax: 2 })).outcome, 'made');
  await threads.commit(second, changeOf(second, { rows: { run: bareRun('run-b' as RunId) } }));
  const next = { ...ofRoot, id: 'e'.repeat(16) };
  assert.equal((await agentSessions.spawn({ ...next, activeMax: 2 })).outcome, 'too-many');
  assert.equal((await agentSessions.spawn({ ...next, activeMax: 3 })).outcome, 'made');
});

onBoth('children that are spawned at once are counted one after the other', async ({ open }) => {
  const { threads, agentSessions } = await createAccount(await open(), 'ann');
  const root = (await newThread(threads)).thread;
  const spawns = Array.from({ length: 6 }, (_, index) =>
    agentSessions.spawn({ ...asked, id: `${index}`.repeat(16), parentId: root.id, activeMax: 99 }),
  );
  const outcomes = (await Promise.all(spawns)).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, Array(6).fill('made'));
});

onBoth('a key is known while its run lives, and of no disabled account', async ({ open }) => {
  const store = await open();
  const { account } = await createWorld(store, 'ann');
  const { threads, agentSessions, accountId } = account;
  const rows = await busyThread(threads, 'a');
  const { runId } = rows.run!;
  const { agentKeys } = store.system;
  assert.equal(await agentKeys.find('one'), undefined);
  assert.equal(await agentSessions.putKey(runId, 'one'), true);
  const holder = { accountId, runId, threadId: rows.thread.id };
  assert.deepEqual(await agentKeys.find('one'), holder);
  assert.equal(await agentSessions.putKey(runId, 'two'), true);
  assert.equal(await agentKeys.find('one'), undefined, 'replaced');
  assert.deepEqual(await agentKeys.find('two'), holder);
  const bob = await createAccount(store, 'bob');
  assert.equal(await bob.agentSessions.putKey(runId, 'three'), false);
  const ended = { ...rows.run!, state: 'closed', endedAtMs: 50 } as const;
  await threads.commit(
    rows,
    changeOf(rows, { rows: { run: undefined, calls: new Map() }, endedRun: ended }),
  );
  assert.equal(await agentKeys.find('two'), undefined, 'its run has ended');
  assert.equal(await agentSessions.putKey(runId, 'four'), false);
});

onBoth('the end of a turn is due to be told until that is settled', async ({ open }) => {
  const store = await open();
  const { threads, accountId } = await createAccount(store, 'ann');
  const { wakes } = store.system;
  const rows = await newThread(threads);
  const turns = [{ ...bareTurn('told'), wakeId: 'parent' }, bareTurn('untold')];
  await threads.commit(
    rows,
    changeOf(rows, { rows: { queue: turns }, thread: { status: 'queued' } }),
  );
  assert.deepEqual(await wakes.due(10), [], 'it has not ended');
  const queued = (await threads.load(rows.thread.id))!;
  const endedTurns = queued.queue.map(endedTurn);
  await threads.commit(
    queued,
    changeOf(queued, { rows: { queue: [] }, thread: { status: 'ready' }, endedTurns }),
  );
  const due = { accountId, turnId: 'told', threadId: rows.thread.id, wakeId: 'parent' };
  assert.deepEqual(await wakes.due(10), [due]);
  await wakes.settle(due, 'woken');
  assert.deepEqual(await wakes.due(10), []);
  await wakes.settle(due, 'gone');
});
