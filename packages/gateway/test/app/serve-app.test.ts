/*
 * The files of the app, as a browser asks for them. The app was built before the tests.
 */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

/* Without who it is: the page is the same for everyone. */
const get = (base: string, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(new URL(path, base), { headers, redirect: 'manual' });

test('every place of the app is the same page, for everyone, under a policy without a hole', async () => {
  await using rig = await openTestGateway();
  const inbox = await get(rig.url, '/inbox');
  assert.equal(inbox.status, 200);
  assert.equal(inbox.headers.get('cache-control'), 'no-cache');
  assert.equal(await (await get(rig.url, '/threads/abcdefgh12345678')).text(), await inbox.text());
  const policy = inbox.headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.match(policy, /require-trusted-types-for 'script'/);
  assert.doesNotMatch(policy, /unsafe/);
});

test('its files are packed, kept by browsers for good, and never a page when they are missing', async () => {
  await using rig = await openTestGateway();
  const page = await (await get(rig.url, '/inbox')).text();
  const [script = ''] = /\/app\/[\w-]+\.js/.exec(page) ?? [];
  const packed = await get(rig.url, script, { 'accept-encoding': 'gzip, br' });
  assert.equal(packed.headers.get('content-encoding'), 'br');
  assert.equal(packed.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(packed.headers.get('content-type'), 'text/javascript; charset=utf-8');
  const etag = packed.headers.get('etag') ?? '';
  assert.equal((await get(rig.url, script, { 'if-none-match': etag })).status, 304);
  for (const missing of ['/app/index-00000000.js', '/app/..%2f..%2fcontrol.db', '/app/']) {
    const answer = await get(rig.url, missing);
    assert.equal(answer.status, 404, missing);
    assert.match(answer.headers.get('content-type') ?? '', /json/);
  }
});

test('a tab of an earlier version still gets its files', async () => {
  await using rig = await openTestGateway();
  const kept = join(rig.config.stateDir, 'app-files');
  await mkdir(kept, { recursive: true });
  await writeFile(join(kept, 'thread-0a1b2c3d.js'), 'export {};');
  const answer = await get(rig.url, '/app/thread-0a1b2c3d.js');
  assert.equal(await answer.text(), 'export {};');
  assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8');
});
