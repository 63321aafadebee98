/*
 * Login links: the owner's way in. Once, within ten minutes, and never through an address that reaches a log.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { leaveLocalLink } from '@clawdfather/gateway/local-link';
import { formatLoginUrl } from '../../src/auth/login-links.ts';
import { createAsk, jsonOf } from '../fixtures/api-client.ts';
import { createBrowser } from '../fixtures/browser.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

const path = '/api/v1/auth/login-link';

const secretOf = (url: string): string => new URL(url).hash.replace('#clf-link=', '');

const use = (rig: TestGateway, body: object, headers: Record<string, string> = {}) =>
  fetch(new URL(path, rig.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

test('a link gives a token for the owner, once', async () => {
  await using rig = await openTestGateway();
  const url = await rig.gateway.createLoginLink();
  const { origin, pathname, search } = new URL(url);
  assert.deepEqual([origin, pathname, search], [rig.url, '/login', '']);
  const link = secretOf(url);
  const answer = await use(rig, { link, device: 'my phone' });
  const { token, account, expires_at: expiresAt } = await jsonOf(answer);
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.headers.getSetCookie(), []);
  assert.equal(account.kind, 'owner');
  assert.equal(account.id, rig.owner.accountId);
  assert.ok(Date.parse(expiresAt) > Date.parse(new Date().toISOString()));
  const ask = createAsk(rig);
  assert.equal((await ask('GET', 'auth/me', { token })).status, 200);
  const { body } = await ask('GET', 'auth/sessions', { token });
  const current = body.items.filter((item: { is_current: boolean }) => item.is_current);
  assert.deepEqual([current.length, current[0].device], [1, 'my phone']);

  const again = await use(rig, { link });
  assert.deepEqual([again.status, (await jsonOf(again)).error.code], [401, 'invalid_link']);
});

test('of many who come with one link, one gets in', async () => {
  await using rig = await openTestGateway();
  const link = secretOf(await rig.gateway.createLoginLink());
  const answers = await Promise.all(Array.from({ length: 8 }, () => use(rig, { link })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

test('for the web app the token is in a cookie and nowhere else', async () => {
  await using rig = await openTestGateway();
  const browser = createBrowser();
  const link = secretOf(await rig.gateway.createLoginLink());
  const answer = await browser.request(new URL(path, rig.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: rig.url },
    body: JSON.stringify({ link, cookie: true }),
  });
  const [cookie = ''] = answer.headers.getSetCookie();
  assert.match(cookie, /^__Host-clf=clf_[\w-]{43}; /);
  for (const attribute of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict']) {
    assert.ok(cookie.split('; ').includes(attribute), attribute);
  }
  assert.match(
    cookie,
    /Max-Age=77\d{5}/,
    'ninety days; how much of them is used, the server knows',
  );
  assert.ok(!(await answer.text()).includes('clf_'));
  assert.equal((await browser.request(new URL('/api/v1/auth/me', rig.url))).status, 200);
});

test('a link is good for ten minutes', async () => {
  const system = createSystemClock();
  let aheadMs = 0;
  const clock = { ...system, wallMs: () => system.wallMs() + aheadMs };
  await using rig = await openTestGateway({ deps: { clock } });
  const link = secretOf(await rig.gateway.createLoginLink());
  aheadMs = 10 * 60_000;
  assert.equal((await use(rig, { link })).status, 401);
});

test('a link that another process left signs the owner in, also one who is locked out', async () => {
  await using rig = await openTestGateway();
  const wrong = { authorization: `Bearer clf_${'A'.repeat(43)}` };
  for (let count = 0; count < 11; count += 1)
    await rig.request('/api/v1/auth/me', { headers: wrong });
  const link = await leaveLocalLink({
    stateDir: rig.config.stateDir,
    clock: createSystemClock(),
    random: createSystemRandom(),
  });
  const answer = await use(rig, { link }, { 'user-agent': 'Mozilla/5.0 (iPhone) Safari' });
  const { account, token } = await jsonOf(answer);
  assert.deepEqual([answer.status, account.kind], [200, 'owner']);
  assert.equal((await use(rig, { link })).status, 401);
  const { body } = await createAsk(rig)('GET', 'audit?action=auth.login', { token });
  assert.equal(body.entries[0].detail.device, 'Safari on iPhone');
  assert.equal(body.entries[0].actor, 'link');
});

test('guessing is limited to ten a minute, and written down', async () => {
  await using rig = await openTestGateway();
  for (let count = 0; count < 10; count += 1) {
    assert.equal((await use(rig, { link: 'A'.repeat(43) })).status, 401);
  }
  const answer = await use(rig, { link: secretOf(await rig.gateway.createLoginLink()) });
  assert.equal(answer.status, 429);
  assert.ok(Number(answer.headers.get('retry-after')) <= 60);
  const { entries } = await rig.gateway.store.system.auditLog.list({ action: 'auth.refused' });
  assert.equal(entries.length, 10);
  assert.deepEqual([entries[0]?.actor, entries[0]?.detail?.['reason']], ['link', 'invalid_link']);
});

test('what cannot be a link is refused by its shape', async () => {
  await using rig = await openTestGateway();
  for (const body of [
    {},
    { link: '' },
    { link: '../../x' },
    { link: 7 },
    { link: 'A'.repeat(44) },
  ]) {
    assert.equal((await use(rig, body)).status, 400);
  }
});

test('the address in a link is the one that people use', () => {
  assert.equal(
    formatLoginUrl('https://clawd.example.org', 'SECRET'),
    'https://clawd.example.org/login#clf-link=SECRET',
  );
});
