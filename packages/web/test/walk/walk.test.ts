/*
 * A visit of every screen, in several looks. On none of them is anything that axe objects to, anything wider than the screen, a field that a
 * phone zooms into, or anything that breaks the page's policy (the phone sees to that); every control is reached by keyboard.
 *
 * WALK=all takes all looks; `npm run test:web:long` does.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import type { Phone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { makeWalkContent, type WalkContent } from './content.ts';
import { objectionsTo } from './judge.ts';
import { looks, openLook } from './looks.ts';
import { visit, walkScreens } from './screens.ts';

const chosenLooks = process.env['WALK'] === 'all' ? looks : looks.slice(0, 3);

let browser: Browser;
let gateway: RealGateway;
let content: WalkContent;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
  content = await makeWalkContent(gateway);
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

test('the walk has every screen of the app', () => {
  const source = readFileSync(new URL('../../src/app.tsx', import.meta.url), 'utf8');
  const routes = [...source.matchAll(/<Route path="([^"]+)"/g)].map(([, route = '']) => route);
  const visited = new Set(walkScreens.map(({ route }) => route));
  assert.ok(routes.length > 5);
  assert.deepEqual(
    routes.filter((route) => !visited.has(route)),
    [],
  );
});

for (const look of chosenLooks) {
  test(`nothing keeps people from using any screen: ${look.name}`, async () => {
    await using phone = await openLook(browser, look, { gateway });
    const found: string[] = [];
    for (const screen of walkScreens) {
      await visit(phone, content, screen);
      const objections = await objectionsTo(phone.page);
      found.push(...objections.map((objection) => `${screen.name}: ${objection}`));
    }
    assert.deepEqual(found, []);
  });
}

test('every control of every screen is reached by the Tab key', async () => {
  await using phone = await openLook(browser, looks[0] ?? assert.fail(), { gateway });
  const missed: string[] = [];
  for (const screen of walkScreens) {
    await visit(phone, content, screen);
    missed.push(...(await notReached(phone)).map((control) => `${screen.name}: ${control}`));
  }
  assert.deepEqual(missed, []);
});

/* Goes round once with Tab; names what can be used and never had the focus. */
async function notReached({ page }: Phone): Promise<readonly string[]> {
  const total = await page.evaluate(() => {
    const selector = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
    const controls = [...document.querySelectorAll<HTMLElement>(selector)].filter(
      (one) => one.checkVisibility() && !one.matches(':disabled, [tabindex="-1"]'),
    );
    for (const control of controls) control.dataset['notReached'] = '';
    const note = (): void => {
      delete (document.activeElement as HTMLElement | null)?.dataset['notReached'];
    };
    document.addEventListener('focusin', note);
    (document.activeElement as HTMLElement | null)?.blur();
    return controls.length;
  });
  const hasLeft = (): Promise<boolean> =>
    page.evaluate(() => document.querySelector('[data-not-reached]') !== null);
  // A form that came meanwhile takes presses of its own: then it goes round once more.
  for (let round = 0; round < 2 && (round === 0 || (await hasLeft())); round += 1) {
    for (let presses = 0; presses <= total; presses += 1) await page.keyboard.press('Tab');
  }
  return page.evaluate(() => {
    const left = [...document.querySelectorAll<HTMLElement>('[data-not-reached]')];
    for (const one of left) delete one.dataset['notReached'];
    return left.map((one) => one.outerHTML.slice(0, 120));
  });
}
