/*
 * What is held against a screen, or a state of one: what axe objects to, what is wider than the phone, and fields that a phone zooms into.
 */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];

/* `within`: only that part, where the rest was judged before. */
export async function objectionsTo(page: Page, within?: string): Promise<readonly string[]> {
  return [...(await axe(page, within)), ...(await tooWide(page)), ...(await tooSmallToType(page))];
}

async function axe(page: Page, within: string | undefined): Promise<readonly string[]> {
  // Legacy: without a page of its own, which would be blank and count as a window of the app.
  const builder = new AxeBuilder({ page }).setLegacyMode(true).withTags(tags);
  const { violations } = await (within === undefined ? builder : builder.include(within)).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
  );
}

/* Only code and tables may be moved sideways, inside of themselves. */
function tooWide(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const root = document.documentElement;
    const scrollers = [root, ...document.querySelectorAll('main, main > *, dialog, dialog > *')];
    return scrollers
      .filter((one) => {
        const isOwnScroller = ['auto', 'scroll'].includes(getComputedStyle(one).overflowX);
        // Not the window's: that of a phone grows with what does not fit.
        const { clientWidth } = one instanceof HTMLDialogElement ? one : root;
        return one.scrollWidth > clientWidth + 1 && !(isOwnScroller && one.tagName === 'PRE');
      })
      .map((one) => `wider than the screen: ${one.tagName} ${one.className} ${one.scrollWidth}`);
  });
}

/* An iPhone zooms in when a field with letters of less than 16 px is tapped. Looked at with the smallest text that a person can choose. */
function tooSmallToType(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { style } = document.documentElement;
    const before = style.fontSize;
    style.fontSize = '93.75%';
    const typed = 'input:not([type="checkbox"], [type="radio"], [type="file"]), select, textarea';
    const small = [...document.querySelectorAll(typed)]
      .filter((one) => Number.parseFloat(getComputedStyle(one).fontSize) < 16)
      .map((one) => `letters of less than 16 px: ${one.outerHTML.slice(0, 120)}`);
    style.fontSize = before;
    return small;
  });
}
