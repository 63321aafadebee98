/*
 * Taps on the buttons of a decision, as a person makes them who wants it: once more, where a tap was not taken.
 */
import type { Locator, Page } from 'playwright-core';

export const armed = (page: Page, name: string): Locator =>
  page.locator('.decision-bar button[aria-disabled="false"]', { hasText: name });

/* Taps until it is taken: buttons that have just moved take no tap, and what is tapped may move at any moment. */
export async function tapArmed(page: Page, name: string): Promise<void> {
  const buttons = page.locator('.decision-bar button', { hasText: name });
  do {
    await armed(page, name).click();
    await untilShown(page);
  } while ((await buttons.count()) > 0);
}

/* Until it says this, and decides nothing. */
export async function tapUntil(page: Page, name: string, shown: Locator): Promise<void> {
  while ((await shown.count()) === 0) {
    await armed(page, name).click();
    await untilShown(page);
  }
}

/* Until this says that it was decided: a page that was busy when it was to be sent takes it for left, and sends nothing. */
export async function tapUntilSent(page: Page, name: string, sent: Locator): Promise<void> {
  do {
    await tapArmed(page, name);
    await sent.or(droppedNote(page)).first().waitFor();
  } while ((await sent.count()) === 0);
}

export function droppedNote(page: Page): Locator {
  return page.getByText('You left before it was sent. Nothing was decided.');
}

/* What a tap or a key does is shown by then. */
export async function untilShown(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
  });
}
