/*
 * What GitHub says, and what it must not be able to do to us by saying it badly.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemClock, hasCode } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import { createGithub, type Github } from '../../src/auth/github.ts';
import { type FakeGithub, type Misbehaviour, openFakeGithub } from '../fixtures/fake-github.ts';

const redirectUri = 'http://127.0.0.1:8420/back';
const verifier = 'v'.repeat(43);
const never = new AbortController().signal;

async function codeFor(github: Github): Promise<string> {
  const url = await github.authorizeUrl({ state: 'some-state', verifier, redirectUri });
  const { headers } = await fetch(url, { redirect: 'manual' });
  return new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
}

const open = (fake: FakeGithub): Github =>
  createGithub(fake.config, { clock: createSystemClock() });

test('the address asks for S256, both scopes and the exact redirect', async () => {
  await using fake = await openFakeGithub();
  const href = await open(fake).authorizeUrl({ state: 'some-state', verifier, redirectUri });
  const { pathname, searchParams: query } = new URL(href);
  assert.equal(pathname, '/login/oauth/authorize');
  assert.equal(query.get('scope'), 'read:user user:email');
  assert.equal(query.get('code_challenge_method'), 'S256');
  assert.equal(query.get('redirect_uri'), redirectUri);
  assert.equal(query.get('state'), 'some-state');
  assert.ok(!href.includes(verifier), 'the verifier stays here');
  assert.ok(!href.includes(fake.config.clientSecret));
});

test('a code becomes a person: the number, and the primary verified address', async () => {
  await using fake = await openFakeGithub();
  const github = open(fake);
  const code = await codeFor(github);
  assert.deepEqual(await github.identify({ code, verifier, redirectUri }, never), {
    provider: 'github',
    providerUserId: '583231',
    login: 'ann',
    displayName: 'Ann Example',
    email: 'ann@example.test',
    avatarUrl: 'https://example.test/a',
  });
});

test('what people put into their names reaches no terminal', async () => {
  await using fake = await openFakeGithub();
  fake.user = {
    id: 7,
    login: 'ann',
    name: '\u001b[2J\u0000 Ann\u0007',
    avatar_url: 'javascript:x',
  };
  const github = open(fake);
  const code = await codeFor(github);
  const profile = await github.identify({ code, verifier, redirectUri }, never);
  assert.equal(profile.displayName, '[2J Ann');
  assert.equal(profile.avatarUrl, undefined);
});

test('a code is worth nothing with another verifier, without one, twice, or from another redirect', async () => {
  await using fake = await openFakeGithub();
  const github = open(fake);
  const isRefused = async (
    step: Partial<{ code: string; verifier: string; redirectUri: string }>,
  ) =>
    assert.rejects(
      github.identify({ code: await codeFor(github), verifier, redirectUri, ...step }, never),
      (error) => hasCode(error, 'invalid_code', 'github_unavailable'),
    );
  await isRefused({ verifier: 'w'.repeat(43) });
  await isRefused({ verifier: '' });
  await isRefused({ redirectUri: `${redirectUri}/` });
  const code = await codeFor(github);
  await github.identify({ code, verifier, redirectUri }, never);
  await isRefused({ code });
});

test('a wrong secret is our mistake, not that of whoever signs in', async () => {
  await using fake = await openFakeGithub();
  const config = { ...fake.config, clientSecret: 'wrong' };
  const github = createGithub(config, { clock: createSystemClock() });
  const code = await codeFor(github);
  await assert.rejects(github.identify({ code, verifier, redirectUri }, never), (error) => {
    assert.ok(hasCode(error, 'github_unavailable'));
    assert.equal(error.detail['github_error'], 'incorrect_client_credentials');
    return true;
  });
});

const paths = ['/login/oauth/access_token', '/user', '/user/emails'];
const ways: readonly Misbehaviour[] = ['error', 'garbage', 'wrong-shape', 'huge', 'redirect'];

for (const path of paths) {
  for (const way of ways) {
    test(`${path} that answers with ${way} is github_unavailable`, async () => {
      await using fake = await openFakeGithub();
      const github = open(fake);
      const code = await codeFor(github);
      fake.misbehaves.set(path, way);
      await assert.rejects(github.identify({ code, verifier, redirectUri }, never), (error) =>
        hasCode(error, 'github_unavailable'),
      );
      assert.ok(!fake.asked.includes('/elsewhere'), 'redirects are not followed');
    });
  }

  test(`${path} that never answers is given up after eight seconds`, async () => {
    await using fake = await openFakeGithub();
    const clock = createFakeClock();
    const github = createGithub(fake.config, { clock });
    const code = await codeFor(github);
    fake.misbehaves.set(path, 'hang');
    const identifying = assert.rejects(
      github.identify({ code, verifier, redirectUri }, never),
      (error) => hasCode(error, 'github_unavailable'),
    );
    await Promise.race([fake.hanging, identifying]);
    await clock.advance(8_000);
    assert.equal(clock.pendingTimers, 0);
    await Promise.all([identifying, fake.abandoned]);
  });
}

test('whoever goes away does not keep GitHub waiting', async () => {
  await using fake = await openFakeGithub();
  const github = open(fake);
  const code = await codeFor(github);
  fake.misbehaves.set('/user', 'hang');
  const leaving = new AbortController();
  const identifying = assert.rejects(
    github.identify({ code, verifier, redirectUri }, leaving.signal),
    (error) => hasCode(error, 'github_unavailable'),
  );
  await Promise.race([fake.hanging, identifying]);
  leaving.abort();
  await Promise.all([identifying, fake.abandoned]);
});
