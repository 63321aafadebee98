/*
 * `npm run screenshots -- --all DIRECTORY`: every screen of the walk at three sizes in both schemes, for whoever wants to look at all of them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openPhone } from '../support/phone.ts';
import { openRealGateway } from '../support/real-gateway.ts';
import { makeWalkContent } from '../walk/content.ts';
import { visit, walkScreens } from '../walk/screens.ts';

export async function pictureEveryScreen(browser: Browser, folder: string): Promise<void> {
  await using gateway = await openRealGateway();
  const content = await makeWalkContent(gateway);
  const signedIn = await openPhone(browser, { gateway });
  mkdirSync(folder, { recursive: true });
  for (const size of ['usual', 'small', 'desk'] as const) {
    for (const scheme of ['light', 'dark'] as const) {
      await using phone = await openPhone(browser, { gateway, as: signedIn, size, scheme });
      for (const screen of walkScreens) {
        await visit(phone, content, screen);
        const name = `${screen.name.replaceAll(' ', '-')}-${size}-${scheme}.png`;
        writeFileSync(join(folder, name), await phone.page.screenshot());
        process.stdout.write(`${name}\n`);
      }
    }
  }
}
