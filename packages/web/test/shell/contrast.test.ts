/*
 * For people who ask for more contrast the lines are dark and the words darker; where the system has colours of its own, what only a background
 * told is told by a line.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { talk } from '../support/conversations.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;
/* For those that need only its cookies. */
let signedIn: Phone;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
  signedIn = await openPhone(browser, { gateway });
  for (let n = 0; n < 6; n += 1)
    await gateway.client.threads.create({ body: { title: `No ${n}` } });
  await talk(gateway.client, 'Something to read');
});
after(async () => {
  await signedIn?.[Symbol.asyncDispose]();
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

for (const scheme of ['light', 'dark'] as const) {
  test(`who asks for more contrast gets it, in lines and words: ${scheme}`, async () => {
    await using phone = await openPhone(browser, { gateway, as: signedIn, at: '/threads', scheme });
    const { page } = phone;
    await page.getByLabel('Search threads').waitFor();
    const looks = async () => ({
      line: await contrastOf(page, '.rows', 'borderTopColor'),
      facts: await contrastOf(page, '.row .facts', 'color'),
      bar: await contrastOf(page, '.places', 'borderTopColor'),
      badge: await page
        .locator('.badge')
        .first()
        .evaluate((one) => getComputedStyle(one).borderTopWidth),
    });
    const usual = await looks();
    assert.ok(usual.line < 3 && usual.badge === '0px');
    await page.emulateMedia({ contrast: 'more' });
    const more = await looks();
    assert.ok(more.line >= 4.5, `lines: ${more.line}`);
    assert.ok(more.bar >= 4.5, `the bar: ${more.bar}`);
    assert.ok(more.facts >= 10 && more.facts > usual.facts, `words: ${more.facts}`);
    assert.equal(more.badge, '1px');
  });
}

test('in the colours of the system every button has a line around it, and a state is not told by a background', async () => {
  await using phone = await openPhone(browser, { gateway, as: signedIn, at: '/threads' });
  const { page } = phone;
  await page.emulateMedia({ forcedColors: 'active' });
  const unread = page.getByRole('button', { name: 'Unread' });
  await unread.click();
  await page.getByText('Something to read').first().waitFor();
  assert.deepEqual(await unlined(page), []);
  // What is pressed and where one is differ from the rest by more than a colour that is not there.
  for (const selector of ['.chip[aria-pressed="true"]', '.places a[aria-current="page"]']) {
    const shown = await page
      .locator(selector)
      .evaluate((one) => getComputedStyle(one).outlineWidth);
    assert.equal(shown, '2px', selector);
  }
  const dot = page.locator('.unread:not(.none)').first();
  const [own, around] = await dot.evaluate((one) => [
    getComputedStyle(one).backgroundColor,
    getComputedStyle(document.body).backgroundColor,
  ]);
  assert.notEqual(own, around, 'the mark of what was not read is seen');
  await page.getByRole('link', { name: /Something to read/ }).click();
  const said = page.locator('.said').first();
  await said.waitFor();
  const width = await said.evaluate((one) => getComputedStyle(one).borderTopWidth);
  assert.equal(width, '1px', 'what a person said is told from what the agent said');
  await page.getByLabel('Message').fill('more');
  assert.deepEqual(await unlined(page), []);
});

/* Of a colour with what is behind it, as WCAG reckons it. */
function contrastOf(page: Page, selector: string, property: 'color' | 'borderTopColor') {
  return page
    .locator(selector)
    .first()
    .evaluate((element, name) => {
      const lightness = (colour: string): number => {
        const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
          const share = Number(part) / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      let behind: Element | null = element;
      const backgroundOf = (one: Element): string => getComputedStyle(one).backgroundColor;
      while (behind !== null && backgroundOf(behind).endsWith(', 0)'))
        behind = behind.parentElement;
      const own = lightness(getComputedStyle(element)[name]);
      const other = lightness(backgroundOf(behind ?? document.body));
      return (Math.max(own, other) + 0.05) / (Math.min(own, other) + 0.05);
    }, property);
}

/* Buttons that nothing tells from text. */
function unlined(page: Page): Promise<readonly string[]> {
  return page.locator('button, a.button').evaluateAll((buttons) =>
    buttons
      .filter((button) => button.checkVisibility() && !button.matches('.row, .line'))
      .filter((button) => {
        const { outlineStyle, borderTopStyle, borderTopWidth } = getComputedStyle(button);
        return outlineStyle === 'none' && (borderTopStyle === 'none' || borderTopWidth === '0px');
      })
      .map((button) => button.outerHTML.slice(0, 120)),
  );
}
