/*
 * Where secrets are not: every secret that signing in makes is looked for in everything that is written down, and
 * so is something that must be there, so that the search is known to find.
 */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { leaveLocalLink } from '@clawdfather/gateway/local-link';
import { createJsonLog, createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createAsk, jsonOf } from '../fixtures/api-client.ts';
import { createBrowser } from '../fixtures/browser.ts';
import { openFakeGithub } from '../fixtures/fake-github.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

const clock = createSystemClock();
const random = createSystemRandom();
const canaryName = 'canary-device';

/* Everything on disk below the test's directory, database, its log and the state directory included. */
async function readEverything(directory: string): Promise<Map<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        // Bytes one to one: a secret is ASCII, and a database is not UTF-8.
        return [path, await readFile(path, 'latin1')] as const;
      }),
    ),
  );
}

async function useLink(rig: TestGateway, link: string, cookie: boolean): Promise<Response> {
  return await fetch(new URL('/api/v1/auth/login-link', rig.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link, cookie, device: canaryName }),
  });
}

/* Signs in in every way there is. The secrets, by what they are. */
async function makeSecrets(rig: TestGateway): Promise<Record<string, string>> {
  const ask = createAsk(rig);
  const link = new URL(await rig.gateway.createLoginLink()).hash.replace('#clf-link=', '');
  const unusedLink = new URL(await rig.gateway.createLoginLink()).hash.replace('#clf-link=', '');
  const localLink = await leaveLocalLink({ stateDir: rig.config.stateDir, clock, random });
  const unusedLocal = await leaveLocalLink({ stateDir: rig.config.stateDir, clock, random });
  const device = (await jsonOf(useLink(rig, link, false))).token;
  const [setCookie = ''] = (await useLink(rig, localLink, true)).headers.getSetCookie();
  const cookie = /clf_[\w-]{43}/.exec(setCookie)?.[0] ?? '';
  const body = { label: 'canary-label', scopes: ['read'] };
  const apiToken = (await ask('POST', 'auth/tokens', { body })).body.token;

  const browser = createBrowser();
  const start = await browser.request(new URL('/api/v1/auth/oauth/github/start', rig.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  const { authorize_url: url, state } = await jsonOf(start);
  const binding = browser.cookies.get('__Host-clf-oauth') ?? '';
  const back = (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '';
  const github = (await jsonOf(browser.request(back))).token;

  for (const token of [device, cookie, apiToken, github]) {
    assert.equal((await ask('GET', 'auth/me', { token })).status, 200);
  }
  return {
    link,
    unusedLink,
    localLink,
    unusedLocal,
    device,
    cookie,
    apiToken,
    state,
    binding,
    github,
  };
}

test('no secret is in the database, its log, the state directory, the logs or the metrics', async () => {
  await using fake = await openFakeGithub();
  const lines: string[] = [];
  const log = createJsonLog({ clock, write: (line) => lines.push(line), levelMin: 'debug' });
  const config = { github: fake.config };
  await using rig = await openTestGateway({ config, deps: { log } });
  const secrets = await makeSecrets(rig);
  const bad = { mistyped: `clf_${'Q'.repeat(43)}`, inQuery: `clf_${'R'.repeat(43)}` };
  await createAsk(rig)('GET', 'auth/me', { token: bad.mistyped });
  await createAsk(rig)('GET', `auth/me?token=${bad.inQuery}`);
  await createAsk(rig)('GET', `settings?token=${bad.inQuery}`);
  await createAsk(rig)('GET', `no/${bad.inQuery}`).catch(() => {});
  const metrics = await fetch(new URL('/metrics', rig.url));
  assert.equal(metrics.status, 200);

  const written = await readEverything(rig.directory);
  written.set('logs', lines.join(''));
  written.set('metrics', await metrics.text());
  const names = [...written.keys()];
  assert.ok(
    names.some((name) => name.endsWith('control.db-wal')),
    'the write-ahead log is there',
  );
  const placesOf = (text: string): readonly string[] =>
    names.filter((name) => written.get(name)?.includes(text));
  assert.ok(placesOf(canaryName).length > 0, 'the search finds what is there');
  assert.ok(placesOf('canary-label').length > 0);
  assert.deepEqual(placesOf('clawdfather_auth_total'), ['metrics']);
  const all = { ...secrets, ...bad, clientSecret: fake.config.clientSecret, githubToken: 'gho_' };
  for (const [what, secret] of Object.entries(all)) {
    assert.ok(secret.length > 3, what);
    assert.deepEqual(placesOf(secret), [], what);
  }
});
