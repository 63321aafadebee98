/*
 * The same short walk in three engines: in by a link, a thread, streamed words, a decision, an inbox that is empty again, and runs.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openChromiumDriver } from './support/browsers/chromium-driver.ts';
import type { Driver } from './support/browsers/driver.ts';
import { openFirefoxDriver } from './support/browsers/firefox-driver.ts';
import { openWebkitDriver } from './support/browsers/webkit-driver.ts';
import { openRealGateway, type RealGateway } from './support/real-gateway.ts';

let gateway: RealGateway;

before(async () => {
  gateway = await openRealGateway({ isTls: true });
  await gateway.clf('run', '--detach', '--name', 'nightly', '--', 'sleep', '1000');
});
after(async () => {
  await gateway?.[Symbol.asyncDispose]();
});

for (const [name, open] of [
  ['Chromium', openChromiumDriver],
  ['Firefox ESR', openFirefoxDriver],
  ['WebKitGTK', openWebkitDriver],
] as const) {
  test(`${name}: from a link to an empty inbox`, async () => {
    await using driver = await open();
    await walk(driver);
    assert.deepEqual(await driver.wrongs(), []);
  });
}

async function walk(driver: Driver): Promise<void> {
  await driver.open(await gateway.loginLink());
  await driver.sees('Nothing needs you');
  assert.ok(!(await driver.valueOf<string>('location.href')).includes('clf-link'));

  await driver.press('link', 'New');
  await driver.write('What should it do?', `Hello from ${driver.name}\nask: rm -r build`);
  await driver.press('button', 'Start');
  await driver.sees('rm -r build');
  await driver.press('button', 'Allow once');
  await driver.sees('rm -r build: allow');

  await driver.press('link', 'Inbox');
  await driver.sees('Nothing needs you');
  await driver.press('link', 'Runs');
  await driver.sees('nightly');
}
