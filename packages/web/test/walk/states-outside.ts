/*
 * The way in, and what can be in the way of it; and strips that have nothing to do with what is on the screen.
 */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { readTable } from '../support/kept-on-device.ts';
import { routeNewerGateway } from '../support/newer-gateway.ts';
import type { RealGateway } from '../support/real-gateway.ts';
import { answerWith, press, refusal, shows } from './states.ts';

export interface OutsideState {
  readonly name: string;
  /* On a page of this device, which is signed in. */
  readonly isIn?: boolean;
  readonly context?: BrowserContextOptions;
  /* Runs in the page, before its scripts. */
  readonly before?: () => void;
  readonly open: (page: Page, gateway: RealGateway) => Promise<void>;
}

const field = 'Login link or code';

async function enter(page: Page, gateway: RealGateway, text: string): Promise<void> {
  await page.goto(gateway.url);
  await page.getByLabel(field).fill(text);
  await press(page, 'Sign in');
}

async function openHere(page: Page, gateway: RealGateway, says: string): Promise<void> {
  await page.goto(gateway.url);
  await shows(page, says);
}

const wayIn: readonly OutsideState[] = [
  {
    name: 'the way in',
    open: async (page, gateway) => {
      await answerWith(page, 'auth/ways', { status: 200, body: { ways: ['link', 'github'] } });
      await openHere(page, gateway, 'Where do I get one?');
      await page.getByText('Where do I get one?').click();
      await shows(page, 'Sign in with GitHub');
    },
  },
  {
    name: 'what is neither link nor code',
    open: async (page, gateway) => {
      await enter(page, gateway, 'something else');
      await shows(page, 'This is neither a link nor a code');
    },
  },
  {
    name: 'a wrong code',
    open: async (page, gateway) => {
      const refused = { status: 401, body: refusal('invalid_link', 'there is no such code') };
      await answerWith(page, 'auth/claims', refused);
      await enter(page, gateway, '7K2M-94QX');
      await shows(page, 'This code is wrong');
    },
  },
  {
    name: 'waiting for the other device',
    open: async (page, gateway) => {
      const body = { device: 'A phone', account: { display_name: 'Owner' }, expires_at: '' };
      await answerWith(page, 'auth/claims', { status: 202, body });
      // Whoever waits gets no answer for a long time.
      await page.route('**/api/v1/auth/claims/finish', () => undefined);
      await enter(page, gateway, '7K2M-94QX');
      await shows(page, 'Confirm on your other device');
    },
  },
  {
    name: 'too many attempts',
    open: async (page, gateway) => {
      await answerWith(page, 'auth/claims', {
        status: 429,
        headers: { 'retry-after': '60' },
        body: refusal('rate_limited', 'too many attempts'),
      });
      await enter(page, gateway, '7K2M-94QX');
      await shows(page, 'Too many attempts');
    },
  },
  {
    name: 'a link of another device',
    open: async (page, gateway) => {
      await page.goto((await gateway.client.loginCodes.create()).link);
      await shows(page, 'Sign in with your other device?');
    },
  },
  {
    name: 'a gateway that does not answer who is in',
    open: async (page, gateway) => {
      await page.route('**/api/v1/auth/me', (route) => route.abort());
      await page.goto(gateway.url);
      await page.getByRole('alert').getByText('The gateway does not answer.').waitFor();
    },
  },
  {
    name: 'a camera that reads codes',
    before: () => Object.assign(window, { BarcodeDetector: class {} }),
    open: async (page, gateway) => {
      await openHere(page, gateway, 'Scan a QR code');
      await press(page, 'Scan a QR code');
      await page.getByRole('dialog').waitFor();
    },
  },
];

const inTheWay: readonly OutsideState[] = [
  {
    name: 'a browser without cookies',
    before: () => Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false }),
    open: (page, gateway) => openHere(page, gateway, 'Your browser refuses cookies'),
  },
  {
    name: 'an address without https',
    before: () => Object.defineProperty(window, 'isSecureContext', { get: () => false }),
    open: (page, gateway) => openHere(page, gateway, 'This address is not secure'),
  },
  {
    name: 'Safari before it is installed',
    context: { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Safari/605.1' },
    open: async (page, gateway) => {
      await page.goto(`${gateway.url}/#clf-link=${'a'.repeat(43)}`);
      await shows(page, 'Copy the link');
    },
  },
];

const out: readonly OutsideState[] = [
  {
    name: 'signed out',
    isIn: true,
    open: async (page, gateway) => {
      await page.goto(`${gateway.url}/more`);
      // Only here: the others go on with the same cookie.
      await page.route('**/api/v1/auth/session', (route) => route.fulfill({ status: 204 }));
      await press(page, 'Sign out here');
      await shows(page, 'You are signed out.');
    },
  },
  {
    name: 'signed out elsewhere',
    isIn: true,
    open: async (page, gateway) => {
      await page.goto(`${gateway.url}/more`);
      // That somebody was in has to be known on the device.
      while ((await readTable(page, 'notes')).length === 0) await shows(page, 'Sign out here');
      const body = refusal('unauthorized', 'nobody is signed in');
      await page.route('**/api/v1/auth/me', (route) => route.fulfill({ status: 401, json: body }));
      await page.reload();
      await shows(page, 'This device was signed out.');
    },
  },
  {
    name: 'a browser that keeps nothing',
    isIn: true,
    before: () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('not here', 'SecurityError');
      };
    },
    open: (page, gateway) => openHere(page, gateway, 'This browser keeps nothing.'),
  },
  {
    name: 'a gateway that this app is too old for',
    isIn: true,
    open: async (page, gateway) => {
      await routeNewerGateway(page.context());
      await openHere(page, gateway, 'This app is too old for the gateway');
    },
  },
];

export const outsideStates: readonly OutsideState[] = [...wayIn, ...inTheWay, ...out];
