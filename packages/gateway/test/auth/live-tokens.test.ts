/*
 * Tokens that were looked up a moment ago: believed for half a second, forgotten at once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, createFakeClock, type FakeClock } from '@clawdfather/testkit';
import { openStore, parseAccountId, type AccountStore, type Store } from '@clawdfather/store';
import { createLiveTokens } from '../../src/auth/live-tokens.ts';
import { makeTemporary } from '../fixtures/temporary.ts';

const audit = { action: 'test', actor: 'test' };

interface World extends AsyncDisposable {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly owner: AccountStore;
  readonly id: string;
}

async function openWorld(): Promise<World> {
  const directory = await makeTemporary();
  const clock = createFakeClock();
  const random = createSeededRandom(1);
  const path = `${directory.path}/control.db`;
  const store = await openStore({ kind: 'sqlite', path }, { clock, random });
  const { id } = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  const owner = store.forAccount(parseAccountId(id));
  const device = await owner.devices.create({ tokenHash: 'h', device: 'phone', audit });
  return {
    store,
    clock,
    owner,
    id: device.id,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test('a revocation behind our back holds after half a second', async () => {
  await using world = await openWorld();
  const { store, clock, owner, id } = world;
  const tokens = createLiveTokens({ store, clock });
  assert.equal((await tokens.find('h'))?.id, id);
  await owner.devices.revoke({ id, audit });
  assert.equal((await tokens.find('h'))?.id, id, 'believed');
  await clock.advance(500);
  assert.equal(await tokens.find('h'), undefined);
});

test('what is forgotten is looked up again, and its listeners are told', async () => {
  await using world = await openWorld();
  const { store, clock, owner, id } = world;
  const tokens = createLiveTokens({ store, clock });
  const told: string[] = [];
  const stop = tokens.onForgotten((forgotten) => told.push(forgotten));
  await tokens.find('h');
  await owner.devices.revoke({ id, audit });
  tokens.forget(id);
  assert.deepEqual(told, [id]);
  assert.equal(await tokens.find('h'), undefined);
  stop();
  tokens.forget(id);
  assert.deepEqual(told, [id], 'no longer listening');
});

test('a look that was under way while a token was revoked is not believed afterwards', async () => {
  await using world = await openWorld();
  const { store, clock, owner, id } = world;
  const tokens = createLiveTokens({ store, clock });
  const looking = tokens.find('h');
  const revoking = owner.devices.revoke({ id, audit });
  tokens.forget(id);
  await Promise.all([looking, revoking]);
  assert.equal(await tokens.find('h'), undefined);
});

test('a check finds what another gateway revoked, and forgets it', async () => {
  await using world = await openWorld();
  const { store, clock, owner, id } = world;
  const tokens = createLiveTokens({ store, clock });
  const told: string[] = [];
  tokens.onForgotten((forgotten) => told.push(forgotten));
  const kept = await owner.devices.create({ tokenHash: 'k', device: 'laptop', audit });
  await tokens.find('h');
  assert.deepEqual(await tokens.check([id, kept.id]), []);
  await owner.devices.revoke({ id, audit });
  assert.deepEqual(await tokens.check([id, kept.id]), [id]);
  assert.deepEqual(told, [id]);
  assert.equal(await tokens.find('h'), undefined, 'without waiting for half a second');
  assert.deepEqual(await tokens.check([]), []);
});
