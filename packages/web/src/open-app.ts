/*
 * Joins the parts of the app in a browser's page.
 */
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createClient, createOutboxWire } from '@clawdfather/sdk';
import { navigate } from 'wouter-preact/use-browser-location';
import type { AppParts } from './app-context.ts';
import { callLimitMs } from './data/call-limit-ms.ts';
import { openNotifications } from './notifications/open-notifications.ts';
import { openDeviceOutbox } from './outbox/outbox.ts';
import { createDeviceOutboxStore } from './outbox/outbox-store.ts';
import { openConnection } from './state/connection.ts';
import { openFeed } from './state/feed.ts';
import { openGatewayTime } from './state/gateway-time.ts';
import { openMembership } from './state/membership.ts';
import { openPreferences } from './state/preferences.ts';
import { openTabs } from './state/tabs.ts';
import { openVisits } from './state/visits.ts';
import { forgetOutside } from './shell/forget-device.ts';
import { openUpdates } from './shell/updates.ts';
import { createDeviceStorage } from './storage/device-storage.ts';
import { openWipeMark } from './storage/wipe-mark.ts';

export function openApp(page: Window & typeof globalThis): AppParts {
  const clock = createSystemClock();
  // Called as a function of its own: a browser's `fetch` refuses to be a method of something else.
  const gatewayTime = openGatewayTime(clock, (url, init) => page.fetch(url, init));
  const client = createClient({
    baseUrl: page.location.origin,
    fetch: gatewayTime.fetch,
    callLimit: { clock, ms: callLimitMs },
  });
  const random = createSystemRandom();
  const tabs = openTabs();
  const preferences = openPreferences(page);
  const visits = openVisits(page);
  const storage = createDeviceStorage({
    clock,
    keepsNothing: () => preferences.keepNothing.value,
    wipeMark: openWipeMark(page),
  });
  const connection = openConnection({
    clock,
    gateway: client.gateway,
    page: { window: page, document: page.document, navigator: page.navigator },
    appVersion: __APP_VERSION__,
  });
  const store = createDeviceOutboxStore(storage.tables, page.navigator.locks);
  const wire = createOutboxWire(client);
  const onRefused = (): void => void membership.ask();
  const updates = openUpdates({
    page,
    clock,
    onWaiting: (build) =>
      connection.note(
        build === undefined ? { kind: 'update-gone' } : { kind: 'update-ready', build },
      ),
  });
  const onWaiting = (): void => void updates.wakeLater();
  const outbox = openDeviceOutbox({ store, wire, clock, random, tabs, onRefused, onWaiting });
  // Also when it is put away: its timer may stop then, so the system is to know of what still waits.
  page.document.addEventListener('visibilitychange', outbox.flush);
  const wipe = async (): Promise<void> => {
    preferences.forget();
    visits.forget();
    await Promise.all([storage.wipe(), forgetOutside(page.navigator)]);
    await outbox.reload();
  };
  const membership = openMembership({ client, clock, random, storage, tabs, wipe });
  const feed = openFeed({ client, clock, random, membership, connection });
  feed.onEvent((type, event) => {
    if (type === 'all') outbox.flush();
    else if (type === 'turn_started' && event !== undefined) void outbox.taken(event.subject_id);
  });
  connection.onReturn(() => {
    if (membership.standing.value.kind === 'asking') void membership.ask();
    outbox.flush();
    updates.look();
  });
  const push = openNotifications({
    client,
    clock,
    random,
    page,
    storage,
    membership,
    feed,
    go: (path) => navigate(path),
  });
  const shared = { client, clock, random, membership, connection, feed };
  return { ...shared, gatewayTime, storage, outbox, preferences, updates, push, visits };
}
