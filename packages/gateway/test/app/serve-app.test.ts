/*
 * The files of the app, as a browser asks for them. The app was built before the tests.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createSystemClock, silentLog } from '@clawdfather/kit';
import { inOwnMounts } from '@clawdfather/testkit';
import { openKeptFiles } from '../../src/app/kept-files.ts';
import { pagePaths } from '../../src/app/serve-app.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { makeTemporary } from '../fixtures/temporary.ts';

/* Without who it is: the page is the same for everyone. */
const get = (base: string, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(new URL(path, base), { headers, redirect: 'manual' });

test('every place of the app is the same page, for everyone, under a policy without a hole', async () => {
  await using rig = await openTestGateway();
  const first = await get(rig.url, '/');
  const page = await first.text();
  const bad = `__Host-clf=clf_${'A'.repeat(43)}`;
  for (const path of pagePaths) {
    const place = path.replaceAll(/:[a-z]+/g, 'abcdefgh12345678');
    // With a good cookie, with one that is no good, and with none.
    for (const cookie of [`__Host-clf=${rig.owner.token}`, bad, '']) {
      const answer = await get(rig.url, place, cookie === '' ? {} : { cookie });
      assert.deepEqual([answer.status, await answer.text()], [200, page], place);
      assert.equal(answer.headers.get('cache-control'), 'no-cache');
      assert.deepEqual(answer.headers.getSetCookie(), [], 'who is signed in is not its business');
    }
  }
  assert.ok(!/<script(?![^>]*\ssrc=)/.test(page), 'no inline script');
  assert.ok(!/<style|\sstyle=|\son[a-z]+=/.test(page), 'no inline style or handler');
  for (const [name, value] of [
    ['referrer-policy', 'no-referrer'],
    ['x-content-type-options', 'nosniff'],
    ['cross-origin-opener-policy', 'same-origin'],
  ] as const) {
    assert.equal(first.headers.get(name), value);
  }
  const policy = first.headers.get('content-security-policy') ?? '';
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
  for (const missing of [
    '/app/index-00000000.js',
    '/app/..%2f..%2fcontrol.db',
    '/app/',
    '/nowhere',
    '/login/login.js',
    '/pages/home.css',
  ]) {
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

test('what an earlier version has left is sent packed to browsers that take it so', async () => {
  await using rig = await openTestGateway();
  const plain = Buffer.from('export const words = "the same as before";');
  const file = {
    path: '/app/words-0a1b2c3d.js',
    type: 'text/javascript; charset=utf-8',
    etag: '"x"',
    isHashed: true,
    bodies: { plain, br: brotliCompressSync(plain), gzip: gzipSync(plain) },
  };
  const directory = join(rig.config.stateDir, 'app-files');
  const deps = { clock: createSystemClock(), log: silentLog };
  await openKeptFiles(directory, new Map([[file.path, file]]), deps);
  for (const [taken, sent] of [
    ['gzip, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ] as const) {
    const answer = await get(rig.url, file.path, { 'accept-encoding': taken });
    assert.equal(answer.headers.get('content-encoding'), sent);
    assert.equal(answer.headers.get('vary'), 'accept-encoding');
    assert.equal(await answer.text(), plain.toString());
  }
  assert.equal((await get(rig.url, `${file.path}.br`)).status, 404);
});

test('a file that lost its content is not sent, and is written anew by the version that has it', async () => {
  await using rig = await openTestGateway();
  const directory = join(rig.config.stateDir, 'app-files');
  const deps = { clock: createSystemClock(), log: silentLog };
  const name = 'words-0a1b2c3d.js';
  const [plain, path] = [Buffer.from('export {};'), `/app/${name}`];
  const file = { path, type: 'text/javascript', etag: '"x"', isHashed: true, bodies: { plain } };
  for (const half of ['', 'exp']) {
    await writeFile(join(directory, name), half);
    if (half === '') assert.equal((await get(rig.url, path)).status, 404);
    await openKeptFiles(directory, new Map([[path, file]]), deps);
    assert.equal(await (await get(rig.url, path)).text(), 'export {};');
  }
});

test('a power cut leaves the files of the app whole', async () => {
  await using temporary = await makeTemporary();
  const rig = fileURLToPath(new URL('../fixtures/power-cut-app-files.ts', import.meta.url));
  const [program = '', ...words] = inOwnMounts;
  const node = [process.execPath, '--conditions=@clawdfather/source', rig, temporary.path];
  const { stdout } = await promisify(execFile)(program, [...words, ...node]);
  assert.deepEqual(JSON.parse(stdout), ['plain', 'br', 'gzip']);
});
