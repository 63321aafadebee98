/*
 * Watches a page while things happen to it: which strips were shown, whether it ever asked to sign in, and whether it was ever blank.
 */
import type { Page } from 'playwright-core';

export interface Witness {
  /* Texts of the strip, each once, in the order in which they came. */
  strips(): Promise<readonly string[]>;
  /* Whether the way in was shown. */
  sawSignIn(): Promise<boolean>;
}

interface Noted {
  readonly strips: string[];
  hasSeenSignIn: boolean;
}

export async function watchPage(page: Page): Promise<Witness> {
  await page.evaluate(() => {
    const noted: Noted = { strips: [], hasSeenSignIn: false };
    (globalThis as { noted?: Noted }).noted = noted;
    const look = (): void => {
      const text = document.querySelector('.strip')?.textContent?.trim();
      if (text !== undefined && !noted.strips.includes(text)) noted.strips.push(text);
      if (document.querySelector('.get-in') !== null) noted.hasSeenSignIn = true;
    };
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
  const read = (): Promise<Noted> =>
    page.evaluate(
      () => (globalThis as { noted?: Noted }).noted ?? { strips: [], hasSeenSignIn: true },
    );
  return {
    strips: async () => (await read()).strips,
    sawSignIn: async () => (await read()).hasSeenSignIn,
  };
}
