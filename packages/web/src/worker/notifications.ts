/*
 * Push in the worker: each message shows exactly one notification, and a tap leads to what it is about.
 *
 * A tap focuses first, because whatever is waited for before spends the right to do so; then the page is told where to go. Without a page
 * one is opened. A notification can deny and open. It never allows: a phone may be locked, or in another hand.
 *
 * What is shown never waits for the gateway: a push without a notification costs the subscription on some phones. What does ask the gateway
 * has a limit.
 */
import { createSystemClock } from '@clawdfather/kit';
import { type Client, createClient } from '@clawdfather/sdk';
import { sortOptions } from '../approvals/ask-options.ts';
import { callLimitMs } from '../data/call-limit-ms.ts';
import { openedNote } from '../notifications/opened-notification.ts';
import { type PushSubject, type PushTarget, readPush } from '../notifications/read-push.ts';
import { subscribeAnew } from '../notifications/subscribe.ts';
import { openIdb } from '../storage/open-idb.ts';
import { whatToServe } from './what-to-serve.ts';
import type { NotificationTap, PushMessage, WorkerClient, WorkerScope } from './worker-scope.ts';

/* A denial asks twice. Browsers let a worker open a window for some ten seconds after a tap, and the card is opened when it fails. */
const denyLimitMs = 3_000;

export function serveNotifications(scope: WorkerScope): void {
  scope.addEventListener('push', (event) => event.waitUntil(show(scope, event)));
  scope.addEventListener('notificationclick', (event) => {
    event.notification.close();
    event.waitUntil(tapped(scope, event));
  });
  scope.addEventListener('pushsubscriptionchange', (event) => {
    event.waitUntil(subscribeAnew(clientOf(scope, callLimitMs), scope.registration.pushManager));
  });
}

function clientOf({ location }: WorkerScope, ms: number): Client {
  return createClient({ baseUrl: location.origin, callLimit: { clock: createSystemClock(), ms } });
}

async function show(scope: WorkerScope, { data }: PushMessage): Promise<void> {
  const { title, options, badge } = readPush(textOf(data), scope.location.origin);
  await scope.registration.showNotification(title, options);
  if (badge !== undefined) await navigator.setAppBadge?.(badge);
}

function textOf(data: PushMessage['data']): string | undefined {
  try {
    return data?.text();
  } catch {
    // Shown in general words.
    return undefined;
  }
}

async function tapped(
  scope: WorkerScope,
  { action, notification }: NotificationTap,
): Promise<void> {
  const { path, about } = notification.data as PushTarget;
  if (action === 'deny' && about !== undefined && (await hasDenied(scope, about))) return;
  await open(scope, path);
}

async function open({ clients, location }: WorkerScope, path: string): Promise<void> {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = windows.find((one) => isOfApp(one, location.origin));
  const focused = await page?.focus().catch(() => undefined);
  await leaveNote(path);
  if (focused === undefined) await clients.openWindow(path);
  else focused.postMessage({ kind: 'open-notification', path });
}

/* Others of this address, such as the API's documents, would not know where to go. */
function isOfApp({ url }: WorkerClient, origin: string): boolean {
  return whatToServe({ method: 'GET', mode: 'navigate', url }, origin, []) === 'page';
}

async function leaveNote(path: string): Promise<void> {
  const clock = createSystemClock();
  try {
    const tables = await openIdb(clock);
    await tables.put('notes', { key: openedNote, value: { path, atMs: clock.wallMs() } });
  } catch {
    // The page is told or opened all the same.
  }
}

/* False: it cannot be said whether this device may, or what it was about is no longer so. Then a person looks at it. */
async function hasDenied(scope: WorkerScope, { kind, id }: PushSubject): Promise<boolean> {
  const client = clientOf(scope, denyLimitMs);
  const params = { id };
  try {
    if (kind === 'command') {
      const { digest, state } = await client.approvals.get({ params });
      if (state !== 'pending') return false;
      await client.approvals.decide({ params, body: { decision: 'deny', digest } });
      return true;
    }
    const { digest, state, options } = await client.asks.get({ params });
    const { deny } = sortOptions(options);
    if (state !== 'open' || deny === undefined) return false;
    await client.asks.answer({ params, body: { option_id: deny.option_id, digest } });
    return true;
  } catch {
    // Signed out, offline, decided before: the card says which.
    return false;
  }
}
