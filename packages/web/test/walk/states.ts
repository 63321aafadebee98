/*
 * What the screens of the app are opened to: each is a way from a screen to what is to be judged there.
 */
import type { Page } from 'playwright-core';
import type { Phone } from '../support/phone.ts';
import type { StateContent } from './states-content.ts';

export interface WalkState<Content = StateContent> {
  readonly name: string;
  /* The screen that it is a state of. */
  readonly path: (content: Content) => string;
  /* From there on. Resolves when it is shown. */
  readonly open: (phone: Phone, content: Content) => Promise<void>;
  /* What does not end with the screen, once it was judged. */
  readonly close?: (phone: Phone) => Promise<void>;
  /* Only this part of the page is judged: the rest is judged as a screen. */
  readonly within?: string;
}

export const sheet = 'dialog[open]';

/* A button of the screen, or of the sheet that lies over it. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  const exact = typeof name === 'string';
  const over = page.locator(sheet);
  const place = (await over.count()) > 0 ? over : page.locator('#app');
  await place
    .getByRole('button', exact ? { name, exact } : { name })
    .filter({ visible: true })
    .first()
    .click();
}

export async function shows(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).filter({ visible: true }).first().waitFor();
}

/* A sheet that is opened by these buttons, one after the other, and says this. */
export function sheetState(
  name: string,
  path: WalkState['path'] | string,
  steps: { readonly press: readonly (string | RegExp)[]; readonly shows: string | RegExp },
): WalkState {
  return {
    name,
    path: typeof path === 'string' ? () => path : path,
    within: sheet,
    open: async ({ page }) => {
      for (const one of steps.press) await press(page, one);
      await page.locator(sheet).getByText(steps.shows).first().waitFor();
    },
  };
}

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/* The answer to such a call is this one, for as long as the state is looked at. */
export async function answerWith(
  page: Page,
  path: string,
  { status, body, headers }: Answer,
): Promise<void> {
  const told = { 'x-trace-id': '0af7651916cd43dd8448eb211c80319c', ...headers };
  await page.route(`**/api/v1/${path}`, (route) =>
    route.fulfill({ status, headers: told, json: body }),
  );
}

/* A refusal in the words of the API. */
export function refusal(code: string, message: string, detail: object = {}): object {
  return { error: { code, message, detail, hint: 'Look at the log of the gateway.' } };
}
