/*
 * Signing in with GitHub, end to end against a stand-in: replay, another browser's state, open redirects, late
 * comers, and people who are not on the list.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import type { GatewayConfig } from '../../src/gateway-config.ts';
import type { GatewayDeps } from '../../src/gateway-parts.ts';
import { type Browser, createBrowser } from '../fixtures/browser.ts';
import { type FakeGithub, openFakeGithub } from '../fixtures/fake-github.ts';
import { jsonOf } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

const startPath = '/api/v1/auth/oauth/github/start';

interface Rig extends AsyncDisposable {
  readonly fake: FakeGithub;
  readonly rig: TestGateway;
}

async function openRig(
  github: Partial<GatewayConfig['github']> = {},
  deps: Partial<GatewayDeps> = {},
): Promise<Rig> {
  const fake = await openFakeGithub();
  const rig = await openTestGateway({ config: { github: { ...fake.config, ...github } }, deps });
  return {
    fake,
    rig,
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await fake[Symbol.asyncDispose]();
    },
  };
}

const start = (rig: TestGateway, browser: Browser, body: object = {}): Promise<Response> =>
  browser.request(new URL(startPath, rig.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/* Begins, says yes on GitHub, and stops before going back. */
async function goToGithub(rig: TestGateway, browser: Browser, body: object = {}): Promise<URL> {
  const { authorize_url: url } = await jsonOf(start(rig, browser, body));
  const { headers } = await fetch(url, { redirect: 'manual' });
  return new URL(headers.get('location') ?? '');
}

const codeOf = async (answer: Response): Promise<string> => (await jsonOf(answer)).error.code;

test('a browser comes back signed in by a cookie, to a page without anything in its address', async () => {
  await using world = await openRig();
  const browser = createBrowser();
  const back = await goToGithub(world.rig, browser);
  const answer = await browser.navigate(back);
  assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/login']);
  assert.equal(await answer.text(), '');
  assert.deepEqual([...browser.cookies.keys()], ['__Host-clf'], 'the binding is gone');
  const me = await jsonOf(browser.request(new URL('/api/v1/auth/me', world.rig.url)));
  assert.equal(me.account.kind, 'member');
  assert.equal(me.account.email, 'ann@example.test');
  assert.equal(me.via.kind, 'device');
});

test('a page is told whether GitHub is a way in, before anyone has signed in', async () => {
  await using world = await openRig();
  await using without = await openTestGateway();
  const waysOf = async (url: string) =>
    (await jsonOf(fetch(new URL('/api/v1/auth/ways', url)))).ways;
  assert.deepEqual(await waysOf(world.rig.url), ['link', 'code', 'github']);
  assert.deepEqual(await waysOf(without.url), ['link', 'code']);
});

test('a browser that signs in again with GitHub is the same device', async () => {
  await using world = await openRig();
  const browser = createBrowser();
  const devices = async () =>
    jsonOf(browser.request(new URL('/api/v1/auth/sessions', world.rig.url)));
  await browser.navigate(await goToGithub(world.rig, browser));
  const first = browser.cookies.get('__Host-clf') ?? '';
  assert.equal((await devices()).total, 1);
  const back = await goToGithub(world.rig, browser);
  // SameSite=Strict: a navigation that GitHub begins does not carry it.
  browser.cookies.delete('__Host-clf');
  await browser.navigate(back);
  assert.equal((await devices()).total, 1);
  const headers = { authorization: `Bearer ${first}` };
  const old = await fetch(new URL('/api/v1/auth/me', world.rig.url), { headers });
  assert.equal(old.status, 401);
});

test('a program gets a token, and the same person the same account, whatever their name', async () => {
  await using world = await openRig({ admittedLogins: ['ann', 'ann-renamed'] });
  const signIn = async () => {
    const browser = createBrowser();
    const back = await goToGithub(world.rig, browser);
    return await jsonOf(browser.request(back));
  };
  const first = await signIn();
  assert.match(first.token, /^clf_[A-Za-z0-9_-]{43}$/);
  world.fake.user = { ...world.fake.user, login: 'ann-renamed' };
  const second = await signIn();
  assert.equal(second.account.id, first.account.id);
  world.fake.user = { ...world.fake.user, id: 99, login: 'ann' };
  const stranger = await signIn();
  assert.notEqual(stranger.account.id, first.account.id, 'who took over the name is somebody else');
  assert.equal(stranger.account.kind, 'member');

  const headers = { authorization: `Bearer ${first.token}` };
  const { entries } = await jsonOf(world.rig.request('/api/v1/audit', { headers }));
  const actions = entries.map(({ action }: { action: string }) => action);
  assert.deepEqual(actions.slice(-2), ['auth.login', 'account.identify']);
});

test('a state is good once', async () => {
  await using world = await openRig();
  const browser = createBrowser();
  const back = await goToGithub(world.rig, browser);
  const cookies = new Map(browser.cookies);
  assert.equal((await browser.request(back)).status, 200);
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  const again = await browser.request(back);
  assert.deepEqual([again.status, await codeOf(again)], [400, 'invalid_state']);
});

test('a state is good in the browser it began in, and nowhere else', async () => {
  await using world = await openRig();
  const [ann, mallory] = [createBrowser(), createBrowser()];
  const back = await goToGithub(world.rig, mallory);
  await start(world.rig, ann);
  assert.equal(await codeOf(await ann.request(back)), 'invalid_state', 'with another binding');
  const other = await goToGithub(world.rig, mallory);
  assert.equal(await codeOf(await createBrowser().request(other)), 'invalid_state', 'with none');
  assert.equal((await mallory.request(back)).status, 400, 'used up by the attempt');
});

test("another person's code is worth nothing in one's own sign-in", async () => {
  await using world = await openRig();
  const [ann, mallory] = [createBrowser(), createBrowser()];
  const stolen = (await goToGithub(world.rig, ann)).searchParams.get('code') ?? '';
  const back = await goToGithub(world.rig, mallory);
  back.searchParams.set('code', stolen);
  assert.equal(await codeOf(await mallory.request(back)), 'invalid_code');
});

test('a state is good for ten minutes', async () => {
  const system = createSystemClock();
  let aheadMs = 0;
  const clock = { ...system, wallMs: () => system.wallMs() + aheadMs };
  await using world = await openRig({}, { clock });
  const browser = createBrowser();
  const back = await goToGithub(world.rig, browser);
  aheadMs = 10 * 60_000;
  assert.equal(await codeOf(await browser.request(back)), 'invalid_state');
});

test('GitHub sends people back to addresses of the list, word for word', async () => {
  const app = 'http://127.0.0.1:9999/signed-in';
  await using world = await openRig({ redirectUris: [app] });
  const own = `${world.rig.url}/api/v1/auth/oauth/github/callback`;
  for (const allowed of [own, app]) {
    const answer = await start(world.rig, createBrowser(), { redirect_uri: allowed });
    const { authorize_url: url } = await jsonOf(answer);
    assert.equal(new URL(url).searchParams.get('redirect_uri'), allowed);
  }
  for (const refused of [
    'https://evil.example/',
    `${app}/`,
    `${app}?next=https://evil.example`,
    `${app}#x`,
    `${own}/../../../../login`,
    'http://127.0.0.1:9999/',
    'http://127.0.0.1:9999.evil.example/signed-in',
    'http://user@127.0.0.1:9999/signed-in',
  ]) {
    // Each from a start of its own would be over the limit per minute.
    await world.rig.gateway.store.system.rateLimits.forget({
      scope: `POST ${startPath}`,
      subject: '127.0.0.1',
    });
    const answer = await start(world.rig, createBrowser(), { redirect_uri: refused });
    assert.deepEqual([answer.status, await codeOf(answer)], [400, 'validation_error'], refused);
  }
});

test('an app of your own is sent the code and trades it for a token', async () => {
  const app = 'http://127.0.0.1:9999/signed-in';
  await using world = await openRig({ redirectUris: [app] });
  const browser = createBrowser();
  const back = await goToGithub(world.rig, browser, { redirect_uri: app });
  assert.equal(`${back.origin}${back.pathname}`, app);
  const callback = new URL('/api/v1/auth/oauth/github/callback', world.rig.url);
  callback.search = back.search;
  assert.equal((await browser.request(callback)).status, 200);
});

test('who is not on the list, or was taken off it, stays outside', async () => {
  await using world = await openRig({ admittedLogins: ['bob'] });
  const browser = createBrowser();
  const answer = await browser.request(await goToGithub(world.rig, browser));
  assert.deepEqual([answer.status, await codeOf(answer)], [403, 'forbidden']);
  const page = await browser.navigate(await goToGithub(world.rig, browser));
  assert.equal(page.headers.get('location'), '/login#clf-error=forbidden');
  assert.equal(browser.cookies.size, 0);
  const { auditLog, accounts } = world.rig.gateway.store.system;
  const { entries } = await auditLog.list({ action: 'auth.refused' });
  assert.deepEqual(
    entries.map(({ detail }) => detail?.['reason']),
    ['forbidden', 'forbidden'],
  );
  assert.equal((await accounts.list()).length, 2, 'no account was made');
});

test('whoever says no on GitHub is told so', async () => {
  await using world = await openRig();
  world.fake.consents = false;
  const browser = createBrowser();
  assert.equal(
    await codeOf(await browser.request(await goToGithub(world.rig, browser))),
    'invalid_code',
  );
});

test('a GitHub that is down is a 502, and the way back is a page', async () => {
  await using world = await openRig();
  world.fake.misbehaves.set('/user', 'error');
  const browser = createBrowser();
  const answer = await browser.request(await goToGithub(world.rig, browser));
  assert.deepEqual([answer.status, await codeOf(answer)], [502, 'github_unavailable']);
  const page = await browser.navigate(await goToGithub(world.rig, browser));
  assert.equal(page.headers.get('location'), '/login#clf-error=github_unavailable');
});

test('a callback without anything, or with nonsense, is a refusal', async () => {
  await using world = await openRig();
  const callback = new URL('/api/v1/auth/oauth/github/callback', world.rig.url);
  for (const search of ['', '?code=x', '?state=x', '?code=x&state=x', '?code=x&state=x&iss=y']) {
    callback.search = search;
    assert.equal(await codeOf(await fetch(callback)), 'invalid_state');
  }
});

test('more than twenty callbacks in an hour lock an address out for an hour', async () => {
  await using world = await openRig();
  const callback = new URL('/api/v1/auth/oauth/github/callback', world.rig.url);
  for (let count = 0; count < 20; count += 1) assert.equal((await fetch(callback)).status, 400);
  const answer = await fetch(callback);
  assert.equal(answer.status, 429);
  assert.ok(Number(answer.headers.get('retry-after')) > 59 * 60);
});

test('more than ten starts in a minute are too many', async () => {
  await using world = await openRig();
  const browser = createBrowser();
  for (let count = 0; count < 10; count += 1) {
    assert.equal((await start(world.rig, browser)).status, 200);
  }
  assert.equal((await start(world.rig, browser)).status, 429);
});

test('without a GitHub app the way in is said to be closed', async () => {
  await using rig = await openTestGateway();
  const answer = await start(rig, createBrowser());
  const { error } = await jsonOf(answer);
  assert.deepEqual([answer.status, error.code], [422, 'unsupported']);
  assert.match(error.hint, /clf login/);
});
