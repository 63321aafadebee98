/*
 * Every screen in WebKit, each loaded anew: all are there, and nothing breaks the page's policy or is thrown, from the first byte of the page on.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Driver, shownText, until } from '../support/browsers/driver.ts';
import { openWebkitDriver } from '../support/browsers/webkit-driver.ts';
import { type NotingProxy, openNotingProxy, withForbidden } from '../support/noting-proxy.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { makeWalkContent } from './content.ts';
import { walkScreens } from './screens.ts';

let gateway: RealGateway;
let noting: NotingProxy;
let driver: Driver;

before(async () => {
  gateway = await openRealGateway({ isTls: true });
  noting = await openNotingProxy(gateway.client.connection.baseUrl);
  gateway.proxy.target(noting.url);
  driver = await openWebkitDriver();
});
after(async () => {
  await driver?.[Symbol.asyncDispose]();
  await noting?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
});

test('what breaks the policy while a page is loaded is noted', async () => {
  await driver.open(`${gateway.url}/inbox${withForbidden}`);
  await driver.sees('Login link or code');
  const [wrong = '', ...more] = await driver.wrongs();
  assert.match(wrong, /^policy: script-src/);
  assert.deepEqual(more, []);
});

test('every screen is shown in WebKit, and none breaks the policy', async () => {
  const content = await makeWalkContent(gateway);
  await driver.open(await gateway.loginLink());
  await driver.sees('Inbox');
  const found: string[] = [...(await driver.wrongs())];
  for (const { name, path, shows } of walkScreens) {
    await driver.open(`${gateway.url}${path(content)}`);
    await until(
      name,
      () => driver.valueOf<true | null>(`${isShown}(${shows}) || null`),
      () => driver.valueOf(`(${shownText})()`),
    );
    found.push(...(await driver.wrongs()).map((wrong) => `${name}: ${wrong}`));
  }
  assert.deepEqual(found, []);
});

/* In the page; the words of the frame around every screen do not count. */
const isShown = `((shows) => shows.test(document.querySelector('main h1') && document.querySelector('main').innerText))`;
