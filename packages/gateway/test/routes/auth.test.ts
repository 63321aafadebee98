/*
 * Devices over HTTP: who am I, which devices are in, and getting them out. What a revocation means for live tokens is seen here
 * too: nothing is believed of them any longer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { createAsk } from '../fixtures/api-client.ts';
import { createBrowser } from '../fixtures/browser.ts';
import { addDevice, openTestGateway, sharedWith } from '../fixtures/open-test-gateway.ts';

test('signing out revokes the device at once, and ends the cookie', async () => {
  await using rig = await openTestGateway();
  const browser = createBrowser();
  browser.cookies.set('__Host-clf', rig.owner.token);
  const at = (path: string): URL => new URL(`/api/v1/auth/${path}`, rig.url);
  assert.equal((await browser.request(at('me'))).status, 200);
  const headers = { origin: rig.url };
  const answer = await browser.request(at('session'), { method: 'DELETE', headers });
  assert.equal(answer.status, 204);
  assert.match(answer.headers.getSetCookie()[0] ?? '', /^__Host-clf=; .*Max-Age=0/);
  assert.equal((await createAsk(rig)('GET', 'auth/me')).status, 401);
});

test('a cookie that is no good is taken back by the question who it is, and by no other', async () => {
  await using rig = await openTestGateway();
  const browser = createBrowser();
  browser.cookies.set('__Host-clf', `clf_${'A'.repeat(43)}`);
  const ask = (path: string) => browser.request(new URL(`/api/v1/${path}`, rig.url));
  assert.equal((await ask('settings')).status, 401);
  assert.equal(browser.cookies.size, 1);
  for (let count = 0; count < 20; count += 1) assert.equal((await ask('auth/me')).status, 401);
  assert.equal(browser.cookies.size, 0);
  const { headers } = await createAsk(rig)('GET', 'auth/me', { token: `clf_${'A'.repeat(43)}` });
  assert.deepEqual(headers.getSetCookie(), [], 'a program has none');
});

test('a program that signs out gets no cookie, and its token is revoked', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const made = await ask('POST', 'auth/tokens', { body: { label: 'ci', scopes: ['read'] } });
  const { token } = made.body;
  const answer = await rig.request('/api/v1/auth/session', {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(answer.status, 204);
  assert.deepEqual(answer.headers.getSetCookie(), []);
  assert.equal((await ask('GET', 'auth/me', { token })).status, 401);
  assert.equal((await ask('GET', 'auth/tokens')).body.total, 0);
  const { body } = await ask('GET', 'audit?action=auth.logout');
  assert.equal(body.entries[0].actor, `token:${made.body.id}`);
});

/* Signs in with a new link, as a browser for a cookie or as a program for a token. */
async function signInAgain(
  rig: Awaited<ReturnType<typeof openTestGateway>>,
  { isCookie, token }: { readonly isCookie: boolean; readonly token?: string },
  browser = createBrowser(),
): Promise<string> {
  const link = new URL(await rig.gateway.createLoginLink()).hash.replace('#clf-link=', '');
  const answer = await browser.request(new URL('/api/v1/auth/login-link', rig.url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ link, device: 'phone', cookie: isCookie }),
  });
  assert.equal(answer.status, 200);
  const { token: made } = (await answer.json()) as { readonly token?: string };
  return made ?? browser.cookies.get('__Host-clf') ?? '';
}

test('a browser that signs in again is the same device, and its old cookie is no good', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const browser = createBrowser();
  const first = await signInAgain(rig, { isCookie: true }, browser);
  assert.equal((await ask('GET', 'auth/sessions')).body.total, 2);
  const second = await signInAgain(rig, { isCookie: true }, browser);
  assert.equal((await ask('GET', 'auth/sessions')).body.total, 2);
  assert.equal((await ask('GET', 'auth/me', { token: first })).status, 401);
  assert.equal((await ask('GET', 'auth/me', { token: second })).status, 200);
  await signInAgain(rig, { isCookie: true }, createBrowser());
  assert.equal((await ask('GET', 'auth/sessions')).body.total, 3, 'another browser is another one');
});

test('so is a program that presents its token; a bad one, and that of another account, change nothing', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const first = await signInAgain(rig, { isCookie: false });
  const second = await signInAgain(rig, { isCookie: false, token: first });
  assert.equal((await ask('GET', 'auth/sessions')).body.total, 2);
  assert.equal((await ask('GET', 'auth/me', { token: first })).status, 401);
  const third = await signInAgain(rig, { isCookie: false, token: first });
  assert.equal((await ask('GET', 'auth/sessions')).body.total, 3, 'a revoked one names no device');
  await signInAgain(rig, { isCookie: false, token: rig.other.token });
  assert.equal((await ask('GET', 'auth/me', { token: rig.other.token })).status, 200);
  for (const token of [second, third]) {
    assert.equal((await ask('GET', 'auth/me', { token })).status, 200);
  }
});

test('a token for a program is not a device, and is not used up by a sign-in', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const made = await ask('POST', 'auth/tokens', { body: { label: 'ci', scopes: ['read'] } });
  await signInAgain(rig, { isCookie: false, token: made.body.token });
  assert.equal((await ask('GET', 'auth/me', { token: made.body.token })).status, 200);
});

test('devices are listed with the one that asks, in pages', async () => {
  await using rig = await openTestGateway();
  const second = await addDevice(rig.gateway, rig.owner.accountId);
  const ask = createAsk(rig);
  const { body } = await ask('GET', 'auth/sessions');
  assert.deepEqual([body.total, body.limit, body.offset], [2, 20, 0]);
  const current = body.items.find((item: { is_current: boolean }) => item.is_current);
  assert.equal(current.id, rig.owner.deviceId);
  assert.ok(!JSON.stringify(body).includes('clf_'));
  const page = await ask('GET', 'auth/sessions?limit=1&offset=1');
  assert.deepEqual([page.body.items.length, page.body.total], [1, 2]);
  const seenBySecond = (await ask('GET', 'auth/sessions', { token: second.token })).body.items;
  const own = seenBySecond.find((item: { is_current: boolean }) => item.is_current);
  assert.equal(own.id, second.deviceId);
});

test('a device is called something else, by one’s own devices only', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const path = `auth/sessions/${rig.owner.deviceId}`;
  const body = { device: 'Kitchen tablet' };
  assert.equal((await ask('PATCH', path, { token: rig.other.token, body })).status, 404);
  assert.deepEqual((await ask('PATCH', path, { body })).body, {
    id: rig.owner.deviceId,
    ...body,
  });
  const { items } = (await ask('GET', 'auth/sessions')).body;
  assert.equal(items[0].device, 'Kitchen tablet');
  const { entries } = (await ask('GET', 'audit?action=device.rename')).body;
  assert.equal(entries[0].target, rig.owner.deviceId);
});

test('a device is signed out by another one, at once', async () => {
  await using rig = await openTestGateway();
  const lost = await addDevice(rig.gateway, rig.owner.accountId);
  const ask = createAsk(rig);
  assert.equal((await ask('GET', 'auth/me', { token: lost.token })).status, 200);
  assert.equal((await ask('DELETE', `auth/sessions/${lost.deviceId}`)).status, 204);
  assert.equal((await ask('GET', 'auth/me', { token: lost.token })).status, 401);
  assert.equal((await ask('DELETE', `auth/sessions/${lost.deviceId}`)).status, 404);
  const { body } = await ask('GET', 'audit?action=device.revoke');
  assert.deepEqual(
    [body.entries.length, body.entries[0].target, body.entries[0].actor],
    [1, lost.deviceId, `device:${rig.owner.deviceId}`],
  );
});

test('all others are signed out together, and only one’s own', async () => {
  await using rig = await openTestGateway();
  const others = [
    await addDevice(rig.gateway, rig.owner.accountId),
    await addDevice(rig.gateway, rig.owner.accountId),
  ];
  const ask = createAsk(rig);
  for (const { token } of others) await ask('GET', 'auth/me', { token });
  const { status, body } = await ask('DELETE', 'auth/sessions');
  assert.deepEqual([status, body], [200, { revoked: 2 }]);
  for (const { token } of others) {
    assert.equal((await ask('GET', 'auth/me', { token })).status, 401);
  }
  assert.equal((await ask('GET', 'auth/me')).status, 200);
  assert.equal((await ask('GET', 'auth/me', { token: rig.other.token })).status, 200);
});

test("another account's device answers like one that never was", async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const foreign = await ask('DELETE', `auth/sessions/${rig.other.deviceId}`);
  const missing = await ask('DELETE', 'auth/sessions/0000000000000000');
  assert.deepEqual([foreign.status, foreign.text], [404, missing.text]);
  assert.equal((await ask('GET', 'auth/me', { token: rig.other.token })).status, 200);
});

test('a revocation on one gateway holds on another of the same database after half a second', async () => {
  const system = createSystemClock();
  let aheadMs = 0;
  const clock = { ...system, monotonicMs: () => system.monotonicMs() + aheadMs };
  await using here = await openTestGateway();
  await using there = await openTestGateway({ config: sharedWith(here), deps: { clock } });
  await assert.rejects(openTestGateway({ config: { database: here.config.database } }), {
    code: 'master-key-missing',
  });
  const ask = createAsk(there);
  const token = here.owner.token;
  assert.equal((await ask('GET', 'auth/me', { token })).status, 200);
  assert.equal((await createAsk(here)('DELETE', 'auth/session')).status, 204);
  aheadMs = 500;
  assert.equal((await ask('GET', 'auth/me', { token })).status, 401);
});
