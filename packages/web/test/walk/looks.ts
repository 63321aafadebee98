/*
 * In which ways people look at the app: light and dark, on the smallest phone, with letters of twice the size.
 */
import type { Browser, Page } from 'playwright-core';
import { openPhone, type Phone, type PhoneOptions } from '../support/phone.ts';

export interface Look extends Pick<PhoneOptions, 'size' | 'scheme'> {
  readonly name: string;
  readonly textPercent: number;
}

/* Those that differ the most come first: `npm test` takes a few. */
export const looks: readonly Look[] = [
  { name: 'light', size: 'usual', scheme: 'light', textPercent: 100 },
  { name: 'dark, 320 px', size: 'small', scheme: 'dark', textPercent: 100 },
  { name: 'light, 200 % text', size: 'usual', scheme: 'light', textPercent: 200 },
  { name: 'light, 320 px', size: 'small', scheme: 'light', textPercent: 100 },
  { name: 'dark', size: 'usual', scheme: 'dark', textPercent: 100 },
  { name: 'dark, at a desk', size: 'desk', scheme: 'dark', textPercent: 100 },
];

export async function openLook(
  browser: Browser,
  { textPercent, ...look }: Look,
  options: PhoneOptions,
): Promise<Phone> {
  const phone = await openPhone(browser, { ...options, ...look });
  await enlarge(phone.page, { textPercent });
  return phone;
}

/* As a browser does it when its usual size of letters is set to twice as much. A page that is loaded anew has to be told again. */
export async function enlarge(
  page: Page,
  { textPercent }: Pick<Look, 'textPercent'>,
): Promise<void> {
  await page.evaluate((percent) => {
    document.documentElement.style.fontSize = `${percent}%`;
  }, textPercent);
}
