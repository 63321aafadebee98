/*
 * Who is asking, and the lock-out of those who guess.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonOf } from '../fixtures/api-client.ts';
import { openTestGateway, sharedWith, type TestGateway } from '../fixtures/open-test-gateway.ts';

const me = '/api/v1/auth/me';
const wrong = `clf_${'A'.repeat(43)}`;

const ask = (url: string, authorization: string): Promise<Response> =>
  fetch(new URL(me, url), { headers: { authorization } });

const refusals = async ({ gateway }: TestGateway) => {
  const { entries } = await gateway.store.system.auditLog.list({ action: 'auth.refused' });
  return entries;
};

for (const authorization of [
  `Bearer ${wrong}`,
  'Bearer ',
  'Bearer clf_short',
  `Basic ${Buffer.from('clf:clf').toString('base64')}`,
  wrong,
  `Bearer ${wrong} ${wrong}`,
]) {
  test(`"${authorization.slice(0, 20)}" is answered like any bad token`, async () => {
    await using rig = await openTestGateway();
    const answer = await ask(rig.url, authorization);
    const { error } = await jsonOf(answer);
    assert.deepEqual([answer.status, error.code], [401, 'unauthorized']);
    assert.equal(answer.headers.get('ratelimit-remaining'), '9');
  });
}

test('more than ten bad tokens lock an address out, and a good one works all the same', async () => {
  await using rig = await openTestGateway();
  for (let count = 10; count > 0; count -= 1) {
    const answer = await ask(rig.url, `Bearer ${wrong}`);
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get('ratelimit-remaining'), String(count - 1));
  }
  for (let count = 0; count < 5; count += 1) {
    const answer = await ask(rig.url, `Bearer ${wrong}`);
    const { error } = await jsonOf(answer);
    assert.deepEqual([answer.status, error.code], [429, 'rate_limited']);
    assert.equal(Number(answer.headers.get('retry-after')), error.detail.retry_after_seconds);
    assert.ok(error.detail.retry_after_seconds > 14 * 60);
    assert.equal(answer.headers.get('ratelimit-limit'), '10');
    assert.equal(answer.headers.get('ratelimit-remaining'), '0');
  }
  assert.equal((await ask(rig.url, `Bearer ${rig.owner.token}`)).status, 200);
  const entries = await refusals(rig);
  assert.equal(entries.length, 1, 'one entry for a lock, however often they knock');
  assert.deepEqual([entries[0]?.ip, entries[0]?.detail?.['reason']], ['127.0.0.1', 'bad_tokens']);
});

test('bad tokens are counted together by two gateways of one database', async () => {
  await using here = await openTestGateway();
  await using there = await openTestGateway({ config: sharedWith(here) });
  for (let count = 0; count < 5; count += 1) {
    assert.equal((await ask(here.url, `Bearer ${wrong}`)).status, 401);
    assert.equal((await ask(there.url, `Bearer ${wrong}`)).status, 401);
  }
  assert.equal((await ask(there.url, `Bearer ${wrong}`)).status, 429);
  assert.equal((await ask(here.url, `Bearer ${wrong}`)).status, 429);
  assert.equal((await ask(there.url, `Bearer ${here.owner.token}`)).status, 200);
});

const forwarded = (url: string, address: string): Promise<Response> =>
  fetch(new URL(me, url), {
    headers: { authorization: `Bearer ${wrong}`, 'x-forwarded-for': address },
  });

test('an address that somebody only claims to come from is not believed', async () => {
  await using rig = await openTestGateway();
  for (let count = 0; count < 10; count += 1) {
    assert.equal((await forwarded(rig.url, `203.0.113.${count}`)).status, 401);
  }
  assert.equal((await forwarded(rig.url, '203.0.113.99')).status, 429);
});

test('behind a trusted proxy each client is counted for itself', async () => {
  await using rig = await openTestGateway({ config: { trustedProxies: ['127.0.0.1'] } });
  for (let count = 0; count < 11; count += 1) await forwarded(rig.url, '203.0.113.7');
  assert.equal((await forwarded(rig.url, '203.0.113.7')).status, 429);
  assert.equal((await forwarded(rig.url, '203.0.113.8')).status, 401);
  assert.equal((await forwarded(rig.url, '203.0.113.8, 203.0.113.7')).status, 429, 'nearest');
  const [entry] = await refusals(rig);
  assert.equal(entry?.ip, '203.0.113.7');
});
