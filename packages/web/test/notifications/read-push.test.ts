/*
 * A push message as a notification: one for whatever comes, never away from the app, never with a way to allow.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOpenMessage, pathAtStart } from '../../src/notifications/opened-notification.ts';
import {
  needsRenewal,
  type PushFacts,
  pushStandingOf,
} from '../../src/notifications/push-standing.ts';
import { readPush } from '../../src/notifications/read-push.ts';

const origin = 'https://clf.example';

function push(notification: object, more: object = {}): string {
  return JSON.stringify({ web_push: 8030, notification, ...more });
}

test('what the gateway sends is shown in its words, with its badge, and leads to what it is about', () => {
  const data = { class: 'approval', notice_id: 'n', about: 'abc1', thread_id: null, needs_you: 2 };
  const navigate = `${origin}/approvals/abc1`;
  const text = push(
    { title: 'An agent asks', body: '2 need you', navigate, tag: 'n', data },
    { app_badge: 2 },
  );
  assert.deepEqual(readPush(text, origin), {
    title: 'An agent asks',
    options: {
      body: '2 need you',
      lang: 'en',
      tag: 'n',
      data: { path: '/approvals/abc1', about: { kind: 'command', id: 'abc1' } },
      actions: [
        { action: 'deny', title: 'Deny' },
        { action: 'open', title: 'Open' },
      ],
    },
    badge: 2,
  });
  const ask = push({ title: 'x', navigate, data: { ...data, thread_id: 't' } });
  assert.deepEqual(readPush(ask, origin).options.data.about, { kind: 'ask', id: 'abc1' });
});

test('only what can be denied has actions, and none of them allows', () => {
  for (const kind of ['question', 'done', 'failed', 'host_lost', 'test', 'allow', 7]) {
    const { actions } = readPush(
      push({ title: 'x', data: { class: kind, about: 'a' } }),
      origin,
    ).options;
    assert.deepEqual(actions, []);
  }
});

test('whatever comes, there is a notification, and its tap stays in the app', () => {
  for (const text of [
    undefined,
    '',
    'hello',
    '7',
    'null',
    '[]',
    '{}',
    push({}),
    push({
      title: 7,
      navigate: 'https://evil.example/x',
      data: { class: 'approval', about: '../x' },
    }),
    push({ title: '', navigate: '//evil.example/x' }),
    push({ title: 'x', navigate: 'javascript:alert(1)' }, { app_badge: -1 }),
    push({ title: 'y'.repeat(10_000) }, { app_badge: 'many' }),
  ]) {
    const { title, options, badge } = readPush(text, origin);
    assert.ok(title.length > 0 && title.length <= 200, text);
    assert.equal(options.data.path, '/inbox', text);
    assert.deepEqual([options.actions, badge], [[], undefined], text);
  }
});

test('a note of a tap counts for a minute, and only where an app starts', () => {
  const note = { path: '/approvals/a', atMs: 1_000 };
  assert.equal(pathAtStart(note, { path: '/', nowMs: 61_000 }), '/approvals/a');
  assert.equal(pathAtStart(note, { path: '/inbox', nowMs: 1_000 }), '/approvals/a');
  assert.equal(pathAtStart(note, { path: '/threads', nowMs: 1_000 }), undefined);
  assert.equal(pathAtStart(note, { path: '/', nowMs: 61_001 }), undefined);
  assert.equal(pathAtStart(note, { path: '/', nowMs: 0 }), undefined);
  assert.equal(pathAtStart({ path: '//evil', atMs: 0 }, { path: '/', nowMs: 1 }), undefined);
  assert.equal(isOpenMessage({ kind: 'open-notification', path: '//evil' }), false);
  assert.equal(isOpenMessage({ kind: 'open-notification', path: '/inbox' }), true);
});

const fine: PushFacts = {
  isSecure: true,
  isSupported: true,
  isIos: false,
  isInstalled: false,
  permission: 'granted',
  endpoint: 'https://push/1',
  known: { endpoint: 'https://push/1', key_id: 'k', failure: null },
  keyId: 'k',
};

test('each way in which notifications can stand is told apart', () => {
  const of = (over: Partial<PushFacts>) => pushStandingOf({ ...fine, ...over });
  const none = { endpoint: undefined, known: undefined };
  assert.equal(of({}), 'working');
  assert.equal(of({ isSecure: false, isSupported: false }), 'not-secure');
  assert.equal(of({ isIos: true, isSupported: false }), 'not-installed');
  assert.equal(of({ isIos: true, isInstalled: true }), 'working');
  assert.equal(of({ isSupported: false }), 'not-supported');
  assert.equal(of({ permission: 'denied' }), 'denied');
  assert.equal(of({ permission: 'default' }), 'off');
  assert.equal(of(none), 'off');
  assert.equal(
    of({ known: { endpoint: 'https://push/1', key_id: 'k', failure: '403' } }),
    'broken',
  );
});

test('a device subscribes anew when the key, the address or one side is another', () => {
  const renews = (over: Partial<PushFacts>) => needsRenewal({ ...fine, ...over });
  assert.equal(renews({}), false);
  assert.equal(renews({ keyId: 'new' }), true);
  assert.equal(renews({ endpoint: 'https://push/2' }), true);
  assert.equal(renews({ endpoint: undefined }), true);
  assert.equal(renews({ known: undefined }), true);
  assert.equal(renews({ endpoint: undefined, known: undefined }), false, 'it was never on');
  assert.equal(renews({ permission: 'denied', keyId: 'new' }), false);
});
