/*
 * The app as a person has it in the hand: a page in Chromium at the size of a phone, with touch, signed in by a login link.
 *
 * Whatever goes wrong unseen is noted: errors in the console, exceptions of the page, and everything that its policy forbids. Closing the
 * phone fails when there was any. A test that makes the network fail says what it expects: `expects`.
 */
import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { RealGateway } from './real-gateway.ts';

/* The app has to fit all of them. */
export const phoneSizes = {
  usual: { width: 390, height: 844, scale: 3 },
  android: { width: 360, height: 800, scale: 3 },
  small: { width: 320, height: 568, scale: 2 },
  sideways: { width: 844, height: 390, scale: 3 },
  tablet: { width: 768, height: 1024, scale: 2 },
  desk: { width: 1280, height: 800, scale: 1 },
} as const;

export type PhoneSize = keyof typeof phoneSizes;

export interface PhoneOptions {
  readonly gateway: RealGateway;
  readonly size?: PhoneSize;
  readonly scheme?: 'light' | 'dark';
  /* Where it opens, once it is signed in. */
  readonly at?: string;
  /* False: nobody is signed in, and the page is still empty. */
  readonly isSignedIn?: boolean;
  /* With the cookies of this one, in place of a link: of those a gateway takes a few a minute. */
  readonly as?: Pick<Phone, 'context'>;
  /* Errors that belong to what is tested, such as a connection that the test cuts. */
  readonly expects?: readonly RegExp[];
  /* More of what a context may be told. */
  readonly context?: BrowserContextOptions;
}

export interface Phone extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /* What went wrong in it so far and was not expected. */
  readonly wrongs: readonly string[];
  /* To a screen, without loading the page again. */
  go(path: string): Promise<void>;
  /* Another tab of the same browser. */
  openTab(path: string): Promise<Page>;
}

/*
 * The first question of a browser that is not signed in is answered with 401, which Chromium notes. And when an address of the machine comes or goes,
 * Chromium drops all that is under way, to the machine itself, too: no app and no gateway brings that about, and the app asks again.
 */
const alwaysExpected = [/the server responded with a status of 401/, /net::ERR_NETWORK_CHANGED/];

export async function openPhone(browser: Browser, options: PhoneOptions): Promise<Phone> {
  const context = await browser.newContext(contextOptions(options));
  if (options.as !== undefined) await context.addCookies(await options.as.context.cookies());
  return phoneOf(context, options);
}

export function contextOptions({
  size = 'usual',
  scheme = 'light',
  context = {},
}: Pick<PhoneOptions, 'size' | 'scheme' | 'context'>): BrowserContextOptions {
  const { width, height, scale } = phoneSizes[size];
  return {
    viewport: { width, height },
    deviceScaleFactor: scale,
    hasTouch: size !== 'desk',
    isMobile: size !== 'desk',
    colorScheme: scheme,
    ...context,
  };
}

/* Also of a context with a profile on disk. */
export async function phoneOf(context: BrowserContext, options: PhoneOptions): Promise<Phone> {
  const { gateway, at = '/inbox', isSignedIn = true, expects = [] } = options;
  const all: string[] = [];
  const expected = [...alwaysExpected, ...expects];
  const wrongs = (): string[] =>
    all.filter((text) => !expected.some((pattern) => pattern.test(text)));
  await context.addInitScript(noteViolations);
  context.on('page', (opened) => noteErrors(opened, all));
  const page = context.pages()[0] ?? (await context.newPage());
  if (context.pages().length === 1) noteErrors(page, all);
  if (options.as !== undefined) await page.goto(new URL(at, gateway.url).href);
  else if (isSignedIn) await signIn(page, gateway, at);
  return {
    page,
    context,
    get wrongs() {
      return wrongs();
    },
    go: (path) => goTo(page, path),
    openTab: async (path) => {
      const tab = await context.newPage();
      await tab.goto(new URL(path, gateway.url).href);
      return tab;
    },
    [Symbol.asyncDispose]: async () => {
      await context.close();
      assert.deepEqual(wrongs(), [], 'nothing goes wrong unseen');
    },
  };
}

/* The link is opened on the screen that is wanted; the app takes the secret out of the address. */
export async function signIn(page: Page, gateway: RealGateway, at: string): Promise<void> {
  const { hash } = new URL(await gateway.loginLink());
  await page.goto(new URL(`${at}${hash}`, gateway.url).href);
  await page.locator('.tabs, nav').first().waitFor();
}

/* As a browser tells a page that it is put away, and taken out again. */
export async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate((visible) => {
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (visible ? 'visible' : 'hidden'),
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isVisible);
}

/* By the app's own routes: its router hears of `pushState`. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path);
}

function noteErrors(page: Page, wrongs: string[]): void {
  page.on('pageerror', (error) => wrongs.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    wrongs.push(`${message.text()} ${message.location().url}`);
  });
}

/* Runs in the page before anything of it does. The console is what reaches the test from there. */
function noteViolations(): void {
  addEventListener('securitypolicyviolation', (event) => {
    console.error(
      `policy: ${event.effectiveDirective} forbids ${event.blockedURI} ${event.sample} in ${event.sourceFile}:${event.lineNumber}`,
    );
  });
}
