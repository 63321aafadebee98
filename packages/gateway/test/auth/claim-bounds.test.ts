/*
 * Claims that somebody uses against others: many requests that wait, and a browser that is to be put into a stranger's account.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAsk } from '../fixtures/api-client.ts';
import { createBrowser } from '../fixtures/browser.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

async function claimOf(rig: TestGateway, token: string) {
  const ask = createAsk(rig);
  const made = await ask('POST', 'auth/codes', { token });
  const id: string = made.body.login_code.id;
  const decide = () =>
    ask('POST', `auth/codes/${id}/decision`, { token, body: { decision: 'confirm' } });
  return { ask, code: made.body.code as string, decide };
}

test('one request waits for a claim: a newer one ends it, and gets the answer', async () => {
  await using rig = await openTestGateway();
  const { ask, code, decide } = await claimOf(rig, rig.owner.token);
  const { body } = await ask('POST', 'auth/claims', { body: { code } });
  const finish = () =>
    ask('POST', 'auth/claims/finish', { body: { claim: body.claim, wait_ms: 55_000 } });
  const both = [finish(), finish()];
  const ended = await Promise.race(both);
  assert.deepEqual([ended.status, ended.body.error?.code], [410, 'expired']);
  await decide();
  const states = (await Promise.all(both)).map((answer) => String(answer.body.state));
  assert.deepEqual(states.toSorted(), ['undefined', 'used']);
});

test('an address finishes 60 claims in a minute', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const finish = () => ask('POST', 'auth/claims/finish', { body: { claim: 'x'.repeat(43) } });
  for (let count = 0; count < 60; count += 1) assert.equal((await finish()).status, 401);
  assert.equal((await finish()).status, 429);
});

test('a claim says whose account it is, and puts no browser that is signed in into another one', async () => {
  await using rig = await openTestGateway();
  const browser = createBrowser();
  const post = async (path: string, body: object) => {
    const answer = await browser.request(new URL(`/api/v1/auth/${path}`, rig.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: rig.url },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  const me = async () => {
    const answer = await browser.request(new URL('/api/v1/auth/me', rig.url));
    const { account } = JSON.parse(await answer.text());
    return account.id;
  };
  const own = await claimOf(rig, rig.owner.token);
  const claimed = await post('claims', { code: own.code, cookie: true });
  assert.deepEqual(claimed.body.account, { display_name: 'Owner' });
  await own.decide();
  assert.equal((await post('claims/finish', {})).body.state, 'used');
  assert.equal(await me(), rig.owner.accountId);

  const stranger = await claimOf(rig, rig.other.token);
  await post('claims', { code: stranger.code, cookie: true });
  await stranger.decide();
  const refused = await post('claims/finish', {});
  assert.deepEqual([refused.status, refused.body.error?.code], [403, 'forbidden']);
  assert.equal(await me(), rig.owner.accountId);

  const again = await claimOf(rig, rig.owner.token);
  await post('claims', { code: again.code, cookie: true });
  await again.decide();
  assert.equal((await post('claims/finish', {})).body.state, 'used', 'its own account lets it in');
});
