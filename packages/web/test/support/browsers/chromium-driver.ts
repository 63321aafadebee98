/*
 * Chromium as a walk uses it, over playwright-core.
 */
import { openChromium } from '../chromium.ts';
import { contextOptions } from '../phone.ts';
import { type Driver, noteWrongs, until } from './driver.ts';

export async function openChromiumDriver(): Promise<Driver> {
  const browser = await openChromium();
  const context = await browser.newContext({ ...contextOptions({}), ignoreHTTPSErrors: true });
  await context.addInitScript(`(${noteWrongs})()`);
  const page = await context.newPage();
  return {
    name: 'Chromium',
    open: async (url) => void (await page.goto(url)),
    press: (role, name) =>
      page
        .getByRole(role, { name: new RegExp(`^${name}`) })
        .first()
        .click(),
    write: (label, text) => page.getByLabel(label).first().fill(text),
    sees: async (text) => {
      const isShown = `document.body?.innerText.includes(${JSON.stringify(text)}) || null`;
      await until(`"${text}"`, () => page.evaluate<true | null>(isShown));
    },
    valueOf: (expression) => page.evaluate(expression),
    wrongs: () => page.evaluate('globalThis.notedWrongs'),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
