/*
 * The store as a whole: it opens, it says that it is ready, and it keeps what it was told.
 */
import assert from 'node:assert/strict';
import { onBoth } from './backends.ts';
import { createWorld } from './world.ts';

onBoth('a fresh database is migrated, ready, and keeps what it was told', async ({ open }) => {
  const store = await open();
  const { isReady, database, migrations } = await store.readiness();
  assert.deepEqual([isReady, database, migrations?.state], [true, 'up', 'current']);

  const world = await createWorld(store);
  const again = await open();
  const account = again.forAccount(world.account.accountId);
  assert.equal((await account.connections.get(world.connectionId))?.host, 'box.test');
  assert.equal((await account.sessions.get(world.sessionId))?.status, 'active');
});

onBoth('after closing, everything is refused with a code', async ({ open }) => {
  const store = await open();
  await store.close();
  await assert.rejects(store.system.accounts.list(), { code: 'store-closed' });
  await assert.rejects(store.system.instances.start({ instanceId: 'a', version: '1' }), {
    code: 'store-closed',
  });
  assert.equal((await store.readiness()).isReady, false);
});
