/*
 * Threads are made, listed and put away, each within its account.
 */
import assert from 'node:assert/strict';
import { ownerOf } from '@clawdfather/agents';
import { onBoth } from '../../backends.ts';
import { createAccount, createWorld } from '../../world.ts';
import { busyThread, changeOf, delta, instanceId, newThread } from './thread-rows.ts';

onBoth('a new thread is what was asked for', async ({ open }) => {
  const { account, connectionId } = await createWorld(await open());
  const { threads } = account;
  const made = await threads.create({
    agent: 'fake',
    cwd: '/w',
    title: 'Ünïcode 😀',
    connectionId,
    instanceId,
  });
  assert.equal(made.thread.connectionId, connectionId);
  assert.deepEqual(await threads.load(made.thread.id), made);
  assert.deepEqual(await threads.get(made.thread.id), made.thread);
  const child = await threads.create({
    agent: 'fake',
    cwd: '/w',
    title: 't',
    parentId: made.thread.id,
    instanceId,
  });
  assert.equal(child.thread.connectionId, undefined);
  assert.deepEqual(await threads.load(child.thread.id), child);
});

onBoth('whose a session is stands in its row from the moment that it is made', async ({ open }) => {
  const { account } = await createWorld(await open());
  const { threads } = account;
  const asked = { agent: 'fake', cwd: '/w', title: 't', instanceId };
  const own = (await threads.create(asked)).thread;
  const child = (await threads.create({ ...asked, agent: 'other', parentId: own.id })).thread;
  const further = { parentId: child.id, spawnedBy: child.id, ownerId: own.id };
  const grandchild = (await threads.create({ ...asked, ...further })).thread;
  const stored = async (id: string) => ownerOf((await threads.get(id))!);
  const common = { backend: 'acp', gatewayInstanceId: instanceId };
  const { createdAtMs } = own;
  assert.deepEqual(await stored(own.id), {
    ...common,
    sessionKey: own.id,
    agentId: 'fake',
    ownerSessionKey: own.id,
    ancestors: [],
    createdAtMs,
  });
  assert.deepEqual(await stored(child.id), {
    ...common,
    sessionKey: child.id,
    agentId: 'other',
    ownerSessionKey: own.id,
    spawnedBy: own.id,
    parentSessionKey: own.id,
    ancestors: [own.id],
    createdAtMs: child.createdAtMs,
  });
  const { ownerSessionKey, parentSessionKey, ancestors } = await stored(grandchild.id);
  assert.deepEqual([ownerSessionKey, parentSessionKey], [own.id, child.id]);
  assert.deepEqual(ancestors, [own.id, child.id]);
});

onBoth('a connection or parent of another account is refused like none', async ({ open }) => {
  const store = await open();
  const ann = await createWorld(store, 'ann');
  const bob = await createWorld(store, 'bob');
  const { thread } = await newThread(bob.account.threads);
  const input = { agent: 'fake', cwd: '/w', title: 't', instanceId };
  for (const connectionId of [bob.connectionId, 'none']) {
    await assert.rejects(ann.account.threads.create({ ...input, connectionId }), {
      code: 'value-invalid',
      detail: { field: 'connection' },
    });
  }
  for (const parentId of [thread.id, 'none']) {
    await assert.rejects(ann.account.threads.create({ ...input, parentId }), {
      code: 'value-invalid',
      detail: { field: 'thread' },
    });
  }
  assert.equal((await ann.account.threads.list()).total, 0);
});

onBoth(
  'lists are by status, by the beginning of an id, and without archived ones',
  async (backend) => {
    const { threads } = await createAccount(await backend.open(), 'ann');
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      made.unshift((await newThread(threads)).thread.id);
      backend.clock.advance(1_000);
    }
    const busy = await busyThread(threads, 'a');
    const ids = async (filter?: Parameters<typeof threads.list>[0]) =>
      (await threads.list(filter)).items.map(({ id }) => id);
    assert.deepEqual(await ids(), [busy.thread.id, ...made]);
    assert.equal(await threads.archive(made[0]!), 'archived');
    assert.equal(await threads.archive(made[0]!), 'archived', 'again');
    assert.equal(await threads.archive(busy.thread.id), 'busy');
    assert.equal(await threads.archive('none'), 'not_found');
    assert.deepEqual(await ids(), [busy.thread.id, made[1], made[2]]);
    assert.deepEqual(await ids({ includeArchived: true }), [busy.thread.id, ...made]);
    assert.deepEqual(await ids({ status: 'archived' }), [made[0]]);
    assert.deepEqual(await ids({ status: 'running' }), [busy.thread.id]);
    assert.deepEqual(await ids({ idPrefix: made[1]!.slice(0, 12) }), [made[1]]);
    assert.deepEqual(await ids({ idPrefix: '%' }), []);
    const page = await threads.list({ limit: 1, offset: 1 });
    assert.deepEqual([page.items.map(({ id }) => id), page.total], [[made[1]], 3]);
    assert.deepEqual(page.items[0], await threads.get(made[1]!));
  },
);

onBoth('an archived thread is a newer version', async ({ open }) => {
  const { threads } = await createAccount(await open(), 'ann');
  const before = await newThread(threads);
  await threads.archive(before.thread.id);
  assert.equal(await threads.commit(before, changeOf(before, { events: [delta(1)] })), 'conflict');
});
