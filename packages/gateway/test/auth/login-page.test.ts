/*
 * The page of a login link: its own files, nobody's frame, and not a line of script that is not in its file.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFakeGithub } from '../fixtures/fake-github.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

test('the page and its files come with a policy that lets nothing else in', async () => {
  await using rig = await openTestGateway();
  for (const [path, type] of [
    ['/login', 'text/html; charset=utf-8'],
    ['/login/login.js', 'text/javascript; charset=utf-8'],
    ['/login/login.css', 'text/css; charset=utf-8'],
    ['/pages/home.css', 'text/css; charset=utf-8'],
    ['/pages/home.js', 'text/javascript; charset=utf-8'],
  ] as const) {
    const { status, headers } = await fetch(new URL(path, rig.url));
    assert.deepEqual([status, headers.get('content-type')], [200, type]);
    const policy = headers.get('content-security-policy') ?? '';
    assert.ok(policy.includes("default-src 'none'; script-src 'self'"));
    assert.ok(policy.includes("frame-ancestors 'none'"));
    assert.ok(!policy.includes('unsafe'));
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cache-control'), 'no-store');
  }
});

test('what the policy would refuse is not in the page', async () => {
  await using rig = await openTestGateway();
  const html = await (await fetch(new URL('/login', rig.url))).text();
  assert.ok(!/<script(?![^>]*\ssrc=)/.test(html), 'no inline script');
  assert.ok(!/<style|\sstyle=|\son[a-z]+=/.test(html), 'no inline style or handler');
  const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
  assert.deepEqual(addresses, ['/login/login.css', '/login/login.js', '/']);
});

test('GitHub is offered only where it is set up', async () => {
  const textOf = async (url: string) => (await fetch(new URL('/login', url))).text();
  await using fake = await openFakeGithub();
  await using without = await openTestGateway();
  await using withIt = await openTestGateway({ config: { github: fake.config } });
  const page = await textOf(without.url);
  assert.ok(!page.includes('GitHub'));
  assert.ok(page.includes('</main>'));
  assert.ok((await textOf(withIt.url)).includes('Sign in with GitHub'));
});
