/*
 * What the screens are opened to: sheets, layers, opened rows, refusals, the way in, and a gateway that is away. On none of them is anything that
 * axe objects to, anything wider than the screen, or a field that a phone zooms into.
 *
 * WALK=all takes all looks; `npm run test:web:long` does.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { judgeOutside, judgeStates, withoutWorker } from './judge-states.ts';
import { type Look, looks, openLook } from './looks.ts';
import type { WalkState } from './states.ts';
import { accountStates } from './states-account.ts';
import { awayStates, comeBack, leave } from './states-away.ts';
import { emptyStates } from './states-empty.ts';
import { makeStateContent, type StateContent, stateSettings } from './states-content.ts';
import { thingStates } from './states-things.ts';
import { threadStates } from './states-threads.ts';

const chosenLooks = process.env['WALK'] === 'all' ? looks : looks.slice(0, 1);
/* A thread of no name, a key that has changed, what the database could not do: they are meant to be. */
const refused = [/status of (404|409|429|500)/];

/* What browsers say of a gateway that does not answer. */
const away = [...refused, /net::ERR_/, /status of 50[234]/];

let browser: Browser;
let gateway: RealGateway;
/* Signed in once for all. */
let owner: Phone;
/* Made after the account was looked at as it is at first. */
let content: StateContent | undefined;

before(async () => {
  gateway = await openRealGateway({ settings: stateSettings });
  browser = await openChromium();
  owner = await openPhone(browser, { gateway, expects: away });
});
after(async () => {
  await owner?.[Symbol.asyncDispose]();
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

async function judgeIn(look: Look, states: readonly WalkState[]): Promise<void> {
  const options = { gateway, as: owner, expects: refused, context: withoutWorker };
  await using phone = await openLook(browser, look, options);
  content ??= await makeStateContent(gateway);
  assert.deepEqual(await judgeStates(phone, content, states), []);
}

for (const look of chosenLooks) {
  test(`an account that has done nothing: ${look.name}`, async () => {
    const options = { gateway, as: owner, context: withoutWorker };
    await using phone = await openLook(browser, look, options);
    assert.deepEqual(await judgeStates(phone, undefined, emptyStates), []);
  });
}

for (const look of chosenLooks) {
  test(`threads and what is begun, opened to all that they have: ${look.name}`, () =>
    judgeIn(look, threadStates));

  test(`runs, hosts and keys, opened to all that they have: ${look.name}`, () =>
    judgeIn(look, thingStates));

  test(`decisions, the account, and what lies over every screen: ${look.name}`, () =>
    judgeIn(look, accountStates));

  test(`the way in, and what can be in the way of it: ${look.name}`, async () => {
    assert.deepEqual(await judgeOutside(browser, { look, gateway, owner }), []);
  });

  test(`a gateway that is away, and a device without a network: ${look.name}`, async () => {
    content ??= await makeStateContent(gateway);
    await using phone = await openLook(browser, look, { gateway, as: owner, expects: away });
    await leave(phone, content, gateway);
    try {
      assert.deepEqual(await judgeStates(phone, content, awayStates), []);
    } finally {
      comeBack(gateway);
    }
  });
}
