/*
 * Debian's Firefox ESR as a walk uses it, over WebDriver BiDi.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ElementHandle, launch, type Page } from 'puppeteer-core';
import { checkProgram } from '../chromium.ts';
import {
  type Driver,
  findControl,
  findField,
  isShown,
  noteWrongs,
  shownText,
  until,
} from './driver.ts';

const program = '/usr/bin/firefox-esr';

export async function openFirefoxDriver(): Promise<Driver> {
  checkProgram(program, 'firefox-esr');
  const home = mkdtempSync(join(tmpdir(), 'clf-firefox-'));
  const browser = await launch({
    browser: 'firefox',
    executablePath: program,
    headless: true,
    acceptInsecureCerts: true,
    userDataDir: join(home, 'profile'),
    env: { ...process.env, HOME: home, MOZ_DISABLE_CONTENT_SANDBOX: '1' },
    defaultViewport: { width: 390, height: 844 },
    timeout: 120_000,
  });
  const page = await browser.newPage();
  await page.evaluateOnNewDocument(`(${noteWrongs})()`);
  const handleOf = async (expression: string): Promise<ElementHandle | undefined> => {
    const handle = (await page.evaluateHandle(expression)).asElement();
    return handle === null ? undefined : (handle as ElementHandle);
  };
  const words = (...given: readonly string[]): string =>
    given.map((one) => JSON.stringify(one)).join();
  return {
    name: 'Firefox',
    open: async (url) => void (await page.goto(url)),
    press: async (role, name) => {
      const control = await until(`the ${role} "${name}"`, () =>
        handleOf(`(${findControl})(${words(role, name)})`),
      );
      await control.click();
    },
    write: async (label, text) => {
      const field = await until(`the field "${label}"`, () =>
        handleOf(`(${findField})(${words(label)})`),
      );
      await field.focus();
      // As keys, a new line is Enter, which may send.
      for (const [index, line] of text.split('\n').entries()) {
        if (index > 0) await pressNewLine(page);
        await page.keyboard.type(line);
      }
    },
    sees: async (text) => {
      await until(
        `"${text}"`,
        () => page.evaluate(`(${isShown})(${words(text)})`),
        () => page.evaluate(`(${shownText})()`),
      );
    },
    valueOf: async (expression) => (await page.evaluate(expression)) as never,
    wrongs: async () => (await page.evaluate('globalThis.notedWrongs')) as string[],
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

async function pressNewLine(page: Page): Promise<void> {
  await page.keyboard.down('Shift');
  await page.keyboard.press('Enter');
  await page.keyboard.up('Shift');
}
