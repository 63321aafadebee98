/*
 * A change that is committed again after a lost answer has one effect, and is said to be committed if it was (TC2).
 */
import assert from 'node:assert/strict';
import { openPostgresProxy } from '@clawdfather/testkit';
import { onBoth, onPostgres } from '../../backends.ts';
import { createAccount } from '../../world.ts';
import { busyThread, changeOf, committed, delta, frameAt, loaded } from './thread-rows.ts';

onBoth('the same change is committed once', async ({ open }) => {
  const store = await open();
  const { threads, accountId } = await createAccount(store, 'ann');
  const before = await busyThread(threads, 'a');
  const { id } = before.thread;
  const change = changeOf(before, { events: [delta(3), delta(4)], frames: [frameAt(400, 'x\n')] });
  const after = await committed(threads, before, change);
  /* Another part of the program, later on. */
  assert.equal(await store.forAccount(accountId).threads.commit(before, change), 'committed');
  assert.deepEqual(await loaded(threads, id), after);

  await committed(threads, after, changeOf(after, { events: [delta(5)] }));
  assert.equal(await threads.commit(before, change), 'committed', 'with another on top');
  assert.equal((await loaded(threads, id)).thread.lastSeq, 5);

  const twin = changeOf(before, { events: change.events, frames: change.frames });
  assert.equal(await threads.commit(before, twin), 'conflict', 'equal, and another one');
});

onBoth('a change without events is recognised while it is the newest', async ({ open }) => {
  const { threads } = await createAccount(await open(), 'ann');
  const before = await busyThread(threads, 'a');
  const change = changeOf(before, { rows: { run: { ...before.run!, acceptedInput: 200 } } });
  const after = await committed(threads, before, change);
  assert.equal(await threads.commit(before, change), 'committed');
  assert.deepEqual(await loaded(threads, before.thread.id), after);
  await committed(threads, after, changeOf(after, {}));
  assert.equal(await threads.commit(before, change), 'conflict');
});

onBoth('a change is not that of another account with the same rows', async ({ open }) => {
  const store = await open();
  const ann = await createAccount(store, 'ann');
  const bob = await createAccount(store, 'bob');
  const before = await busyThread(bob.threads, 'b');
  const change = changeOf(before, { events: [delta(3)] });
  await committed(bob.threads, before, change);
  assert.equal(await ann.threads.commit(before, change), 'conflict');
});

/* Silence is noticed after this; everything that answers does so in a few milliseconds. */
const answerMs = 1_500;

for (const fault of ['reset', 'half', 'freeze'] as const) {
  onPostgres(`an answer to COMMIT that is lost (${fault}): committed, once`, async (backend) => {
    const { accountId, threads } = await createAccount(await backend.open(), 'ann');
    const before = await busyThread(threads, 'a');
    await using proxy = await openPostgresProxy(backend.server!.socketPath);
    const connectionString = backend.address!.through(proxy.port);
    const far = await backend.open({ kind: 'postgres', connectionString, poolMax: 2, answerMs });
    const change = changeOf(before, { events: [delta(3)], frames: [frameAt(400, 'x\n')] });
    const swallowed = proxy.strike(fault, 'COMMIT');
    assert.equal(await far.forAccount(accountId).threads.commit(before, change), 'committed');
    await swallowed;
    const after = await loaded(threads, before.thread.id);
    assert.equal(after.thread.version, before.thread.version + 1);
    assert.equal((await threads.events(before.thread.id, { after: 0, limit: 9 })).length, 3);
    await far.close();
  });
}
