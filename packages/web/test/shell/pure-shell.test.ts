/*
 * What a person gives to get in, which keys mean what, what is meant by a few letters, and which list stands beside.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseGiven } from '../../src/get-in/parse-given.ts';
import { formatLostCookie, formatObstacle, isOfThisMachine } from '../../src/get-in/place-words.ts';
import { besideOf } from '../../src/shell/beside.ts';
import { rankEntries } from '../../src/shell/rank-entries.ts';
import { shortcutOf } from '../../src/shell/shortcuts.ts';

const secret = 'A'.repeat(43);

test('a link, a link to confirm, a secret and a code are told apart, whole or not', () => {
  const kinds: readonly (readonly [string, string])[] = [
    [`https://gateway.example/login#clf-link=${secret}`, 'link'],
    [`  #clf-link=${secret}\n`, 'link'],
    [secret, 'link'],
    [`https://gateway.example/login#clf-claim=${secret}`, 'claim'],
    ['7K2M-94QX', 'code'],
    ['7k2m 94qx', 'code'],
    ['#clf-error=forbidden', 'refused'],
    [`https://gateway.example/login#clf-link=${secret.slice(0, 40)}`, 'cut-off'],
    ['https://gateway.example/login', 'cut-off'],
    [secret.slice(0, 30), 'cut-off'],
    [`${secret}A`, 'cut-off'],
    ['hello', 'unknown'],
    ['', 'unknown'],
  ];
  for (const [text, kind] of kinds) assert.equal(parseGiven(text).kind, kind, text);
});

test('an address without https, and a browser without cookies, are told before anything is tried', () => {
  const place = {
    origin: 'http://192.168.1.5:8420',
    isSecure: false,
    takesCookies: true,
    isUninstalledSafari: false,
  };
  assert.match(formatObstacle(place)?.text ?? '', /192\.168\.1\.5.*https/);
  assert.match(formatLostCookie(place).text, /https:\/\//);
  const secure = { ...place, origin: 'https://gateway.example', isSecure: true };
  assert.equal(formatObstacle(secure), undefined);
  assert.match(formatObstacle({ ...secure, takesCookies: false })?.title ?? '', /cookies/);
});

test('letters mean something only where nothing is typed; find works everywhere', () => {
  const press = { key: 'n', isCommand: false, hasOther: false, isTyping: false, isAfterG: false };
  assert.deepEqual(shortcutOf(press), { kind: 'go', to: '/new' });
  assert.equal(shortcutOf({ ...press, isTyping: true }), undefined);
  assert.equal(shortcutOf({ ...press, isCommand: true }), undefined);
  const find = { ...press, key: 'k', isCommand: true, isTyping: true };
  assert.deepEqual(shortcutOf(find), { kind: 'find' });
  const go = { ...press, key: 't', isAfterG: true };
  assert.deepEqual(shortcutOf(go), { kind: 'go', to: '/threads' });
  assert.equal(shortcutOf({ ...press, key: 't' }), undefined);
});

test('every word has to be in what is found, and beginnings come first', () => {
  const entry = (name: string, kind = 'thread') => ({ key: name, name, kind, act: { to: '/' } });
  const entries = [
    entry('Repair the flaky test'),
    entry('Test the release'),
    entry('Hosts', 'place'),
  ];
  const names = (typed: string) => rankEntries(entries, typed).map(({ name }) => name);
  assert.deepEqual(names('test'), ['Test the release', 'Repair the flaky test']);
  assert.deepEqual(names('flaky te'), ['Repair the flaky test']);
  assert.deepEqual(names('place'), ['Hosts']);
  assert.deepEqual(names('nothing'), []);
});

test('every screen that has an address of its own can be found by its name', () => {
  const read = (file: string) =>
    readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
  const routes = [...read('app.tsx').matchAll(/<Route path="([^":]+)"/g)].map(([, to]) => to);
  assert.ok(routes.length > 15);
  const palette = read('shell/palette.tsx');
  assert.deepEqual(
    routes.filter((to) => !palette.includes(`'${to}'],`)),
    [],
  );
});

test('a detail has its list beside it; a place without one stands alone', () => {
  assert.deepEqual(besideOf('/threads/abc'), { listAt: '/threads', isListItself: false });
  assert.deepEqual(besideOf('/threads'), { listAt: '/threads', isListItself: true });
  assert.deepEqual(besideOf('/approvals/abc'), { listAt: '/inbox', isListItself: false });
  assert.deepEqual(besideOf('/keys/abc'), { listAt: '/keys', isListItself: false });
  assert.equal(besideOf('/settings'), undefined);
});

test('an address that only its machine reaches is told from one that a phone can open', () => {
  for (const host of [
    '127.0.0.1:8420',
    '127.9.0.1',
    'localhost:8420',
    'clf.localhost',
    '[::1]:8420',
  ])
    assert.ok(isOfThisMachine(`http://${host}/login#clf-claim=x`), host);
  for (const host of ['box.tailnet.ts.net', '192.168.1.5:8420', 'localhost.example', '10.127.0.1'])
    assert.ok(!isOfThisMachine(`https://${host}/login#clf-claim=x`), host);
});
