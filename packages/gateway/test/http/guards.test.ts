/*
 * Names and origins: what a page of somebody else can make a browser send here, and what becomes of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { sendRaw } from '../fixtures/raw-request.ts';

const publicUrl = 'https://clawd.example.org';

const ways = {
  bearer: ({ owner }: TestGateway) => ({ authorization: `Bearer ${owner.token}` }),
  cookie: ({ owner }: TestGateway) => ({ cookie: `__Host-clf=${owner.token}` }),
} as const;

const ask = (rig: TestGateway, method: 'GET' | 'PATCH', headers: Record<string, string>) =>
  sendRaw({
    url: rig.url,
    path: '/api/v1/settings',
    method,
    headers,
    ...(method === 'PATCH' ? { body: { idle_timeout_seconds: 600 } } : {}),
  });

const codeOf = (text: string): string | undefined => JSON.parse(text).error?.code;

test('a page of our own may do everything, with a token and with the cookie', async () => {
  await using rig = await openTestGateway({ config: { publicUrl } });
  const { port } = new URL(rig.url);
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `http://${name}:${port}`);
  for (const origin of [...own, publicUrl]) {
    for (const way of Object.values(ways)) {
      for (const method of ['GET', 'PATCH'] as const) {
        const { status } = await ask(rig, method, { ...way(rig), origin });
        assert.equal(status, 200, `${method} ${origin}`);
      }
    }
  }
});

test('a page of anybody else may do nothing, not even ask', async () => {
  await using rig = await openTestGateway({ config: { publicUrl } });
  const { port } = new URL(rig.url);
  const strangers = [
    'null',
    '',
    'https://evil.example',
    `http://127.0.0.1:${port}.evil.example`,
    `http://127.0.0.1.evil.example:${port}`,
    `http://evil.example#http://127.0.0.1:${port}`,
    `http://127.0.0.1:${Number(port) + 1}`,
    'http://127.0.0.1',
    `https://127.0.0.1:${port}`,
    `http://127.0.0.2:${port}`,
    `http://127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}, http://evil.example`,
    `http://LOCALHOST:${port}.evil.example`,
    'https://clawd.example.org.evil.example',
    'https://evil-clawd.example.org',
    'https://clawd.example.org:444',
    'http://clawd.example.org',
    'file://',
    'chrome-extension://abcdefgh',
  ];
  for (const origin of strangers) {
    for (const way of Object.values(ways)) {
      for (const method of ['GET', 'PATCH'] as const) {
        const { status, headers, text } = await ask(rig, method, { ...way(rig), origin });
        assert.deepEqual([status, codeOf(text)], [403, 'origin_refused'], `${method} "${origin}"`);
        const shared = Object.keys(headers).filter((name) => name.startsWith('access-control'));
        assert.deepEqual(shared, []);
      }
    }
  }
});

test('without an origin a token may do everything, and the cookie may only look', async () => {
  await using rig = await openTestGateway();
  for (const method of ['GET', 'PATCH'] as const) {
    assert.equal((await ask(rig, method, ways.bearer(rig))).status, 200);
  }
  assert.equal((await ask(rig, 'GET', ways.cookie(rig))).status, 200);
  for (const site of [undefined, 'cross-site', 'same-site', 'none', 'same-origin, cross-site']) {
    const said = site === undefined ? {} : { 'sec-fetch-site': site };
    const { status, text } = await ask(rig, 'PATCH', { ...ways.cookie(rig), ...said });
    assert.deepEqual([status, codeOf(text)], [403, 'origin_refused'], site);
  }
  const own = { ...ways.cookie(rig), 'sec-fetch-site': 'same-origin' };
  assert.equal((await ask(rig, 'PATCH', own)).status, 200);
});

test('a token beside the cookie does not lend it its rights', async () => {
  await using rig = await openTestGateway();
  const both = { ...ways.cookie(rig), authorization: 'Bearer nothing' };
  assert.equal((await ask(rig, 'GET', both)).status, 401);
});

test('a browser that asks before it sends is told nothing', async () => {
  await using rig = await openTestGateway();
  const answer = await sendRaw({
    url: rig.url,
    path: '/api/v1/settings',
    method: 'OPTIONS',
    headers: {
      origin: 'https://evil.example',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization',
    },
  });
  assert.equal(answer.status, 403);
  assert.ok(!Object.keys(answer.headers).some((name) => name.startsWith('access-control')));
});

test('a name that was bound to our address is not ours', async () => {
  await using rig = await openTestGateway({ config: { publicUrl } });
  const { port } = new URL(rig.url);
  const path = '/api/v1/settings';
  for (const host of [
    `evil.example:${port}`,
    'evil.example',
    `localhost.evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    `localhost.:${port}`,
    `evil.example@127.0.0.1:${port}`,
    `127.0.0.1:${port}@evil.example`,
    'clawd.example.org.evil.example',
    'sub.clawd.example.org',
    `2130706433:${port}`,
    ' ',
  ]) {
    // A name bound to us makes the page's origin the same as the name: it must not help.
    for (const origin of [undefined, `http://${host}`, rig.url]) {
      const said = origin === undefined ? {} : { origin };
      const headers = { ...ways.cookie(rig), ...said, host };
      const { status, text } = await sendRaw({ url: rig.url, path, headers });
      assert.deepEqual([status, codeOf(text)], [421, 'host_refused'], `"${host}"`);
      assert.match(text, /--public-url/, 'mostly it was only not told');
    }
  }
  for (const host of [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `[::1]:${port}`,
    'clawd.example.org',
  ]) {
    const headers = { ...ways.bearer(rig), host };
    assert.equal((await sendRaw({ url: rig.url, path, headers })).status, 200, host);
  }
});

test('pages are refused by name and origin as well', async () => {
  await using rig = await openTestGateway();
  const headers = { host: 'evil.example' };
  assert.equal((await sendRaw({ url: rig.url, path: '/login', headers })).status, 421);
  const framed = { origin: 'null' };
  assert.equal((await sendRaw({ url: rig.url, path: '/login', headers: framed })).status, 403);
});

test('a good token with something behind it is no token', async () => {
  await using rig = await openTestGateway();
  const answer = await ask(rig, 'GET', { authorization: `Bearer ${rig.owner.token} more` });
  assert.deepEqual([answer.status, codeOf(answer.text)], [401, 'unauthorized']);
});

test('a form is no JSON: a page without a script can send nothing', async () => {
  await using rig = await openTestGateway();
  const type = 'application/x-www-form-urlencoded';
  for (const form of [type, 'multipart/form-data; boundary=x', 'text/plain']) {
    const headers = { ...ways.cookie(rig), origin: rig.url, 'content-type': form };
    const answer = await ask(rig, 'PATCH', headers);
    assert.deepEqual([answer.status, codeOf(answer.text)], [415, 'unsupported_media_type'], form);
  }
});

test('a packed body is refused for being packed, one that says it is not is read', async () => {
  await using rig = await openTestGateway();
  for (const [encoding, status] of [
    ['gzip', 415],
    ['identity', 200],
  ] as const) {
    const answer = await ask(rig, 'PATCH', { ...ways.bearer(rig), 'content-encoding': encoding });
    assert.equal(answer.status, status, answer.text);
  }
});
