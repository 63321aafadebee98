/*
 * The number on the app's icon: how much needs the person, from the page while it is open, and from the worker with each push that says it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@clawdfather/sdk';
import { createFakeClock } from '@clawdfather/testkit';
import { keepBadge } from '../../src/notifications/keep-badge.ts';
import type { FeedListener } from '../../src/state/feed.ts';
import { serveNotifications } from '../../src/worker/notifications.ts';
import type { WorkerScope } from '../../src/worker/worker-scope.ts';

function openBadge() {
  const clock = createFakeClock();
  const shown: (number | undefined)[] = [];
  const listeners: FeedListener[] = [];
  const needs = { count: 0, asked: 0 };
  const get = () => {
    needs.asked += 1;
    if (needs.count < 0) return Promise.reject(new Error('away'));
    return Promise.resolve({ counts: { needs_you: needs.count } });
  };
  const client = { inbox: { get } } as unknown as Client;
  const feed = {
    onEvent: (listener: FeedListener) => {
      listeners.push(listener);
      return () => undefined;
    },
    close: () => undefined,
  };
  const setAppBadge = (count?: number): Promise<void> => {
    shown.push(count);
    return Promise.resolve();
  };
  keepBadge({ client, clock, feed, navigator: { setAppBadge } });
  const tell: FeedListener = (type) => {
    for (const listener of listeners) listener(type);
  };
  return { clock, shown, needs, tell, listeners, client, feed };
}

test('what needs the person is on the icon: several events are one look, and none after which it is the same', async () => {
  const { clock, shown, needs, tell } = openBadge();
  needs.count = 2;
  tell('notice');
  tell('ask_opened');
  await clock.advance(500);
  assert.deepEqual([shown, needs.asked], [[2], 1]);
  tell('thread_changed');
  await clock.advance(1_000);
  assert.deepEqual([shown, needs.asked], [[2], 1]);
  // Nothing needs them any more, and the number goes.
  needs.count = 0;
  tell('seen');
  await clock.advance(500);
  assert.deepEqual(shown, [2, 0]);
});

test('a number that cannot be had leaves the one that is there, and is asked for again with the next event', async () => {
  const { clock, shown, needs, tell } = openBadge();
  needs.count = -1;
  tell('all');
  await clock.advance(500);
  assert.deepEqual(shown, []);
  needs.count = 3;
  tell('approval_opened');
  await clock.advance(500);
  assert.deepEqual(shown, [3]);
});

test('a browser without badges is asked nothing', () => {
  const { clock, client, feed, listeners } = openBadge();
  keepBadge({ client, clock, feed, navigator: {} });
  assert.equal(listeners.length, 1);
});

test('a push says the number while the app is closed; one without it changes none', async () => {
  const shown: (number | undefined)[] = [];
  const setAppBadge = (count?: number): Promise<void> => {
    shown.push(count);
    return Promise.resolve();
  };
  Object.defineProperty(navigator, 'setAppBadge', { value: setAppBadge, configurable: true });
  const heard = new Map<string, (event: unknown) => void>();
  const scope = {
    addEventListener: (type: string, listener: (event: unknown) => void) =>
      heard.set(type, listener),
    location: { origin: 'https://app.example' },
    registration: { showNotification: () => Promise.resolve() },
  };
  serveNotifications(scope as unknown as WorkerScope);
  const push = async (more: object): Promise<void> => {
    const notification = { title: 'A turn is done', navigate: 'https://app.example/threads/t' };
    const text = JSON.stringify({ web_push: 8030, notification, ...more });
    const work: Promise<unknown>[] = [];
    heard.get('push')?.({
      data: { text: () => text },
      waitUntil: (one: Promise<unknown>) => void work.push(one),
    });
    await Promise.all(work);
  };
  await push({ app_badge: 4 });
  await push({});
  Reflect.deleteProperty(navigator, 'setAppBadge');
  assert.deepEqual(shown, [4]);
});
