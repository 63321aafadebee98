/*
 * From state to state on one phone, each judged once it stands still.
 */
import type { Browser, Page } from 'playwright-core';
import { openPhone, type Phone } from '../support/phone.ts';
import type { RealGateway } from '../support/real-gateway.ts';
import { objectionsTo } from './judge.ts';
import { enlarge, type Look } from './looks.ts';
import { isAtRest } from './screens.ts';
import { sheet, type WalkState } from './states.ts';
import { outsideStates } from './states-outside.ts';

/* It would take every file of the app to the device, for each page anew. */
export const withoutWorker = { serviceWorkers: 'block' } as const;

export async function judgeStates<Content>(
  phone: Phone,
  content: Content,
  states: readonly WalkState<Content>[],
): Promise<readonly string[]> {
  const { page } = phone;
  const found: string[] = [];
  for (const state of states) {
    const objections = await judge(phone, content, state);
    found.push(...objections.map((objection) => `${state.name}: ${objection}`));
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    while ((await page.locator(sheet).count()) > 0) await page.keyboard.press('Escape');
  }
  return found;
}

async function judge<Content>(
  phone: Phone,
  content: Content,
  state: WalkState<Content>,
): Promise<readonly string[]> {
  const { page } = phone;
  try {
    await leaveScreen(phone, state.path(content));
    await phone.go(state.path(content));
    await state.open(phone, content);
    await page.waitForFunction(isAtRest);
  } catch (error) {
    // The others are judged all the same.
    return [await noWay(page, error)];
  }
  const objections = await objectionsTo(page, state.within);
  await state.close?.(phone);
  return objections;
}

/* With what was there instead. */
async function noWay(page: Page, error: unknown): Promise<string> {
  return `no way to it: ${String(error)}\nThere was: ${await page.locator('body').innerText()}`;
}

/* A screen that stays is as the state before has left it. */
async function leaveScreen(phone: Phone, next: string): Promise<void> {
  const { page } = phone;
  if (new URL(page.url()).pathname !== next) return;
  await phone.go('/more');
  await page.locator('main h1').getByText('More', { exact: true }).waitFor();
}

/* Each on a page of its own: most of them are what a page is opened to. */
export async function judgeOutside(
  browser: Browser,
  {
    look,
    gateway,
    owner,
  }: { readonly look: Look; readonly gateway: RealGateway; readonly owner: Phone },
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name, isIn = false, context, before, open } of outsideStates) {
    const { textPercent, ...rest } = look;
    const options = {
      ...rest,
      gateway,
      isSignedIn: false,
      // What is in the way says so in the console, too.
      expects: [/./],
      context: { ...withoutWorker, ...context },
    };
    await using phone = await openPhone(browser, options);
    const { page } = phone;
    if (isIn) await phone.context.addCookies(await owner.context.cookies());
    if (before !== undefined) await page.addInitScript(before);
    try {
      await open(page, gateway);
      await enlarge(page, { textPercent });
      await page.waitForFunction(isAtRest);
      found.push(...(await objectionsTo(page)).map((objection) => `${name}: ${objection}`));
    } catch (error) {
      found.push(`${name}: ${await noWay(page, error)}`);
    }
    await phone.context.unrouteAll({ behavior: 'ignoreErrors' });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
  return found;
}
