/*
 * What the app is measured with: a real gateway with an agent that writes at a steady pace and two conversations of any length, Chromium, and
 * pages of it that are signed in and have nothing of the app yet.
 */
import { fileURLToPath } from 'node:url';
import { openChromium } from '../../../packages/web/test/support/chromium.ts';
import { fillThread, ordinaryEvents } from '../../../packages/web/test/support/fill-thread.ts';
import { openPhone, type Phone } from '../../../packages/web/test/support/phone.ts';
import {
  openRealGateway,
  type RealGateway,
} from '../../../packages/web/test/support/real-gateway.ts';
import { watchPage } from './page-watch.ts';
import type { Page, Session } from './throttle.ts';

export interface World extends AsyncDisposable {
  readonly gateway: RealGateway;
  /* Two threads of the same length. */
  readonly long: readonly [string, string];
  /* What is written at the end of them. */
  readonly lastWords: string;
  /* Of a device that is signed in, as a header. */
  readonly cookie: string;
  /* A browser that was never here; `isKnown`: with the cookie of a device that is signed in. */
  open(options?: OpenOptions): Promise<Measured>;
}

export interface OpenOptions {
  readonly isKnown?: boolean;
  /* Without a service worker: everything comes over the network. */
  readonly hasWorker?: boolean;
}

/* A phone that is looked at closely. Its page is still empty. */
export interface Measured extends AsyncDisposable {
  readonly phone: Phone;
  readonly page: Page;
  readonly session: Session;
  go(path: string): Promise<void>;
}

const agent = fileURLToPath(new URL('writing-agent.ts', import.meta.url));

export async function openWorld(events: number): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const gateway = opened.use(
    await openRealGateway({
      agents: () => ({ writer: { command: [process.execPath, agent] } }),
    }),
  );
  const browser = await openChromium();
  opened.defer(() => browser.close());
  const filling = ordinaryEvents(events);
  const long = [
    await fillThread(gateway, filling, 'A long conversation'),
    await fillThread(gateway, filling, 'Another one'),
  ] as const;
  const known = await openPhone(browser, { gateway });
  const whole = opened.move();
  return {
    gateway,
    long,
    lastWords: lastHeadingOf(filling),
    cookie: (await known.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; '),
    open: async ({ isKnown = true, hasWorker = true } = {}) => {
      const phone = await openPhone(browser, {
        gateway,
        isSignedIn: false,
        expects: [/net::ERR_/],
        context: { serviceWorkers: hasWorker ? 'allow' : 'block' },
      });
      if (isKnown) await phone.context.addCookies(await known.context.cookies());
      await watchPage(phone.page);
      const session = await phone.context.newCDPSession(phone.page);
      await session.send('Performance.enable');
      return {
        phone,
        page: phone.page,
        session,
        go: async (path) => {
          await phone.page.goto(new URL(path, gateway.url).href, { waitUntil: 'commit' });
        },
        [Symbol.asyncDispose]: () => phone[Symbol.asyncDispose](),
      };
    },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

/* Of the last turn that has an answer. */
function lastHeadingOf(events: ReturnType<typeof ordinaryEvents>): string {
  const text = events
    .map(({ payload }) => (typeof payload['text'] === 'string' ? payload['text'] : ''))
    .join('');
  return (
    text
      .match(/Part \d+\n/g)
      ?.at(-1)
      ?.trim() ?? ''
  );
}
