/*
 * A phone that gets pushes, with everything around it real but the vendor's service: the gateway sends, a push service on the loopback
 * checks and decrypts, Chromium hands the message to the worker, a desktop shows what comes of it, and its taps are a person's.
 *
 * Chromium subscribes at a service of its vendor's, so that step alone is replaced in the page. Whether a notification is there is never
 * asked of the browser: Chromium forgets one that is asked for while it is being shown.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BrowserSubscription,
  type Desktop,
  openDesktop,
  openPushService,
  type PushService,
  type ShownNotification,
} from '@clawdfather/testkit';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { openChromiumProfile } from '../support/chromium.ts';
import { contextOptions, type Phone, phoneOf, setVisible, signIn } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

export interface PushRig extends AsyncDisposable {
  readonly gateway: RealGateway;
  readonly service: PushService;
  readonly desktop: Desktop;
  readonly phone: Phone;
  /* What the browser has subscribed with; null: nothing. */
  readonly subscription: () => BrowserSubscription | null;
  /* A window of the app, and no other; signed in, and put away, so that pushes come. */
  openApp(at: string): Promise<Page>;
  /* The next push that the service takes. */
  taken(): Promise<string>;
  /* Resolves when the worker is done with it, with what it has shown since. */
  deliver(text: string): Promise<readonly ShownNotification[]>;
  stopWorkers(): Promise<void>;
}

export async function openPushRig(): Promise<PushRig> {
  const service = await openPushService();
  const desktop = await openDesktop();
  const gateway = await openRealGateway({
    settings: {
      notify: { push: { services: [service.origin], contact: 'mailto:test@example.org' } },
    },
  });
  const home = mkdtempSync(join(tmpdir(), 'clf-push-phone-'));
  const context = await openChromiumProfile(profileIn(home), {
    ...contextOptions({}),
    env: { ...process.env, ...desktop.env },
  });
  const subscription = await replaceSubscribing(context, service);
  const phone = await phoneOf(context, {
    gateway,
    at: '/threads',
    // Windows are closed and devices signed out here, and the gateway is frozen.
    expects: [/net::ERR_/],
  });
  // Pushes are delivered by it, whichever windows of the app there are.
  const keeper = await context.newPage();
  const workers = await openWorkers(await context.newCDPSession(keeper), gateway.url);
  let seen = 0;
  return {
    gateway,
    service,
    desktop,
    phone,
    subscription,
    openApp: (at) => openApp(context, { keeper, gateway, at }),
    taken: async () => {
      seen += 1;
      await service.untilTaken(seen);
      return service.taken[seen - 1]?.text ?? '';
    },
    deliver: async (text) => {
      const { length } = desktop.everShown;
      await workers.deliver(text);
      await desktop.untilShown(length + 1);
      return desktop.everShown.slice(length);
    },
    stopWorkers: () => workers.stop(),
    [Symbol.asyncDispose]: async () => {
      await phone[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/* Only a permission in the profile counts for taps. What a context is granted counts for showing, and not for them. */
function profileIn(home: string): string {
  const profile = join(home, 'profile');
  mkdirSync(join(profile, 'Default'), { recursive: true });
  const allowed = 1;
  const settings = { profile: { default_content_setting_values: { notifications: allowed } } };
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(settings));
  return profile;
}

async function openApp(
  context: BrowserContext,
  { keeper, gateway, at }: { keeper: Page; gateway: RealGateway; at: string },
): Promise<Page> {
  for (const page of context.pages()) if (page !== keeper) await page.close();
  const page = await context.newPage();
  if ((await context.cookies()).length === 0) await signIn(page, gateway, at);
  else await page.goto(new URL(at, gateway.url).href);
  await page.locator('.tabs, nav').first().waitFor();
  await setVisible(page, false);
  return page;
}

interface Workers {
  deliver(text: string): Promise<void>;
  stop(): Promise<void>;
}

async function openWorkers(cdp: CDPSession, origin: string): Promise<Workers> {
  const registered = Promise.withResolvers<string>();
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const found = registrations.find(({ scopeURL }) => scopeURL.startsWith(origin));
    if (found !== undefined) registered.resolve(found.registrationId);
  });
  const running = new Set<string>();
  const wakers = new Set<() => void>();
  cdp.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
    for (const { versionId, runningStatus } of versions) {
      if (runningStatus === 'stopped') running.delete(versionId);
      else running.add(versionId);
    }
    for (const wake of wakers) wake();
  });
  let completed: (() => void) | undefined;
  cdp.on('BackgroundService.backgroundServiceEventReceived', ({ backgroundServiceEvent: one }) => {
    if (one.eventName === 'Push event completed') completed?.();
  });
  await cdp.send('ServiceWorker.enable');
  const service = 'pushMessaging';
  await cdp.send('BackgroundService.startObserving', { service });
  await cdp.send('BackgroundService.setRecording', { service, shouldRecord: true });
  const registrationId = await registered.promise;
  return {
    deliver: async (data) => {
      const done = new Promise<void>((resolve) => {
        completed = resolve;
      });
      await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
      await done;
    },
    stop: async () => {
      const stopped = new Promise<void>((resolve) => {
        const look = (): void => {
          if (running.size > 0) return;
          wakers.delete(look);
          resolve();
        };
        wakers.add(look);
        look();
      });
      await cdp.send('ServiceWorker.stopAllWorkers');
      await stopped;
    },
  };
}

interface Subscribing {
  subscribeHere(publicKey: string): Promise<BrowserSubscription>;
  subscribedHere(): Promise<BrowserSubscription | null>;
  unsubscribeHere(): Promise<void>;
}

async function replaceSubscribing(
  context: BrowserContext,
  service: PushService,
): Promise<() => BrowserSubscription | null> {
  let current: BrowserSubscription | null = null;
  await context.exposeFunction('subscribeHere', (publicKey: string) => {
    current = service.subscribe(publicKey);
    return current;
  });
  await context.exposeFunction('subscribedHere', () => current);
  await context.exposeFunction('unsubscribeHere', () => {
    current = null;
  });
  await context.addInitScript(replaceInPage);
  return () => current;
}

/* Runs in the page: what the vendor's service would give is that of ours. */
function replaceInPage(): void {
  const here = globalThis as unknown as Subscribing;
  const shape = (one: BrowserSubscription | null) =>
    one && {
      endpoint: one.endpoint,
      toJSON: () => one,
      unsubscribe: async () => {
        await here.unsubscribeHere();
        return true;
      },
    };
  Object.assign(PushManager.prototype, {
    getSubscription: async () => shape(await here.subscribedHere()),
    subscribe: async ({ applicationServerKey: key }: { applicationServerKey: Uint8Array }) => {
      const plain = btoa(String.fromCodePoint(...key));
      const url = plain.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
      return shape(await here.subscribeHere(url));
    },
  });
}
