/*
 * A gateway that does not answer, and a device without a network: what was known stays, with its time, and what only the gateway can do is off.
 */
import type { Phone } from '../support/phone.ts';
import type { RealGateway } from '../support/real-gateway.ts';
import { press, sheet, shows, type WalkState } from './states.ts';
import type { StateContent } from './states-content.ts';

export const awayStates: readonly WalkState[] = [
  {
    name: 'the inbox of a gateway that is away',
    path: () => '/inbox',
    open: ({ page }) => shows(page, 'The gateway does not answer.'),
  },
  {
    name: 'threads of which the standing is not known',
    path: () => '/threads',
    open: async ({ page }) => {
      await shows(page, 'unknown');
      await shows(page, /^As of /);
    },
  },
  {
    name: 'a thread as it was',
    path: ({ done }) => `/threads/${done}`,
    open: ({ page }) => shows(page, /^As of /),
  },
  {
    name: 'a message that is kept for later',
    path: ({ done }) => `/threads/${done}`,
    open: async ({ page }) => {
      await page.getByLabel('Message').fill('For later.');
      await press(page, 'Send');
      await page.locator('.waiting-bar').getByText('For later.').waitFor();
    },
  },
  {
    name: 'a thread that is not kept',
    path: ({ failed }) => `/threads/${failed}`,
    open: ({ page }) => shows(page, 'This thread is not kept on this device'),
  },
  {
    name: 'a decision that cannot be made',
    path: ({ asking }) => `/threads/${asking}`,
    open: ({ page }) => page.locator('.decision .why-off').filter({ hasText: /./ }).waitFor(),
  },
  {
    name: 'a run of which no output is here',
    path: ({ run }) => `/runs/${run}`,
    open: ({ page }) => shows(page, 'The output is shown when the gateway answers.'),
  },
  {
    name: 'what cannot be confirmed',
    path: () => '/tokens',
    within: sheet,
    open: async ({ page }) => {
      await press(page, 'Revoke ci');
      await page.locator(sheet).getByText('as soon as the gateway answers').waitFor();
    },
  },
  {
    name: 'a thread that begins later',
    path: () => '/new',
    open: async ({ page }) => {
      await page.getByLabel('What should it do?').fill('Begin later.');
      await shows(page, 'Start when connected');
    },
  },
  {
    name: 'a thread that was begun meanwhile',
    path: () => '/new',
    open: async ({ page }) => {
      await page.getByLabel('What should it do?').fill('Begin later.');
      await press(page, 'Start when connected');
      await shows(page, 'Kept on this device');
    },
  },
  {
    name: 'a device without a network',
    path: () => '/threads',
    open: async ({ page, context }) => {
      await context.setOffline(true);
      await shows(page, 'This device is offline.');
    },
  },
];

/* Looks at what is to be kept; then nothing is reached any more. */
export async function leave(
  phone: Phone,
  { done, asking, run }: StateContent,
  gateway: RealGateway,
): Promise<void> {
  const { page } = phone;
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  for (const [path, says] of [
    [`/threads/${done}`, /one loop in place/],
    [`/threads/${asking}`, /asks to/],
    [`/runs/${run}`, /nightly/],
    ['/tokens', /^ci$/],
    ['/new', /What should it do/],
    ['/threads', /overloaded/],
    ['/inbox', /rm -r build/],
  ] as const) {
    await phone.go(path);
    await page.locator('main, .side').getByText(says).filter({ visible: true }).first().waitFor();
  }
  gateway.proxy.target('http://127.0.0.1:1');
  gateway.proxy.reset();
  await shows(page, 'The gateway does not answer.');
}

export function comeBack(gateway: RealGateway): void {
  gateway.proxy.target(gateway.client.connection.baseUrl);
}
