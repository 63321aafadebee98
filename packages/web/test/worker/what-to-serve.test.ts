/*
 * What the worker answers itself, and what goes past it; which caches it lets go of.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildIdOf, cacheOf, unusedCaches } from '../../src/worker/build-files.ts';
import { isTrueFile, whatToServe } from '../../src/worker/what-to-serve.ts';

const origin = 'https://gateway.example';
const files = ['/app/index-1a2b3c4d.js', '/icon.svg'];
const asked = (path: string, mode = 'navigate', method = 'GET') =>
  whatToServe({ method, mode, url: `${origin}${path}` }, origin, files);

test('every place of the app is the page; files are files, and never the page', () => {
  for (const path of ['/', '/inbox', '/threads/abc', '/login', '/more?x=1']) {
    assert.equal(asked(path), 'page', path);
  }
  assert.equal(asked('/app/index-1a2b3c4d.js', 'cors'), 'file');
  assert.equal(asked('/app/old-00000000.js', 'cors'), 'file');
  assert.equal(asked('/icon.svg', 'no-cors'), 'file');
  assert.equal(asked('/missing.js'), 'nothing');
});

test('nothing of the API, of sockets and of other origins is touched, however it is asked for', () => {
  for (const path of [
    '/api/v1/runs',
    '/api/docs',
    '/ws',
    '/mcp',
    '/health',
    '/readyz',
    '/metrics',
  ]) {
    for (const mode of ['navigate', 'cors', 'same-origin']) {
      assert.equal(asked(path, mode), 'nothing', `${path} ${mode}`);
    }
  }
  assert.equal(asked('/inbox', 'cors'), 'nothing');
  assert.equal(asked('/inbox', 'navigate', 'POST'), 'nothing');
  const elsewhere = { method: 'GET', mode: 'navigate', url: 'https://elsewhere.example/inbox' };
  assert.equal(whatToServe(elsewhere, origin, files), 'nothing');
});

test('an answer that is a page is no script', () => {
  const answer = (type: string, ok = true) => ({
    ok,
    headers: new Headers({ 'content-type': type }),
  });
  assert.equal(isTrueFile(answer('text/javascript')), true);
  assert.equal(isTrueFile(answer('text/html; charset=utf-8')), false);
  assert.equal(isTrueFile(answer('text/javascript', false)), false);
});

test('a cache stays while a tab holds its build, and those of others are never touched', () => {
  const id = buildIdOf('/app/index-1a2b3c4d.js', `${origin}/app/style-5e6f7a8b.css`);
  assert.equal(id, 'index-1a2b3c4d.style-5e6f7a8b');
  const all = [cacheOf('old'), cacheOf('older'), cacheOf(id), 'of something else'];
  assert.deepEqual(unusedCaches(all, cacheOf(id), [cacheOf('old'), undefined]), [cacheOf('older')]);
});
