/*
 * Limits: counted together by the gateways of one database, told in headers, and free of charge for the disk
 * once somebody is refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import { openStore, type QueryObservation } from '@clawdfather/store';
import { createFakeClock } from '@clawdfather/testkit';
import { createRateLimits } from '../../src/http/rate-limit.ts';
import { makeTemporary } from '../fixtures/temporary.ts';

const limit = { hitsMax: 2, windowMs: 60_000 } as const;
const lock = { ...limit, lockMs: 600_000 } as const;

async function openWorld() {
  const directory = await makeTemporary();
  const clock = createFakeClock();
  const statements: QueryObservation[] = [];
  const database = { kind: 'sqlite', path: `${directory.path}/control.db` } as const;
  const onQuery = (query: QueryObservation): number => statements.push(query);
  const store = await openStore(database, { clock, random: createSystemRandom(), onQuery });
  return {
    clock,
    store,
    statements,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test('two gateways of one database count together', async () => {
  await using world = await openWorld();
  const [here, there] = [createRateLimits(world), createRateLimits(world)];
  const hit = { scope: 'POST /x', subject: '203.0.113.9', limit };
  assert.deepEqual(await here.count(hit), {
    isAllowed: true,
    isNews: true,
    hitsMax: 2,
    remaining: 1,
    resetSeconds: 60,
  });
  assert.equal((await there.count(hit)).remaining, 0);
  assert.equal((await here.count(hit)).isAllowed, false);
  assert.equal((await there.count(hit)).isAllowed, false);
  assert.equal((await there.count({ ...hit, subject: '203.0.113.10' })).isAllowed, true);
  assert.equal((await there.count({ ...hit, scope: 'POST /y' })).isAllowed, true);
});

test('whoever is refused costs no statement more until it is over', async () => {
  await using world = await openWorld();
  const limits = createRateLimits(world);
  const hit = { scope: 'POST /x', subject: '203.0.113.9', limit };
  for (let count = 0; count < 3; count += 1) await limits.count(hit);
  const before = world.statements.length;
  await world.clock.advance(20_000);
  for (let count = 0; count < 100; count += 1) {
    const { isAllowed, isNews, resetSeconds } = await limits.count(hit);
    assert.deepEqual([isAllowed, isNews, resetSeconds], [false, false, 40]);
  }
  assert.equal(world.statements.length, before);
  await world.clock.advance(40_000);
  assert.equal((await limits.count(hit)).isAllowed, true);
});

test('a lock holds longer than the window, on every gateway', async () => {
  await using world = await openWorld();
  const [here, there] = [createRateLimits(world), createRateLimits(world)];
  const hit = { scope: 'callback', subject: '203.0.113.9', limit: lock };
  for (let count = 0; count < 2; count += 1) await here.count(hit);
  assert.equal((await here.count(hit)).resetSeconds, 600);
  await world.clock.advance(599_000);
  assert.equal((await here.count(hit)).resetSeconds, 1);
  assert.equal((await there.count(hit)).isAllowed, false);
  await world.clock.advance(1_000);
  assert.equal((await there.count(hit)).isAllowed, true);
});
