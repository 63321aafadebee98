/*
 * Without a pointer: signing in, beginning a thread, deciding, stopping, opening a run, adding a host, finding. What has the focus can be seen all
 * the way, and a dialog that is closed gives the focus back. And for people who need it otherwise: the page can be zoomed, and stands still.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { isApproval, isEnd, talk, untilEvent } from '../support/conversations.ts';
import { resumeTimers, stopTimers } from '../support/long-timers.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { armed, droppedNote, untilShown } from '../support/tap-armed.ts';

let browser: Browser;
let gateway: RealGateway;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
  const command = ['sh', '-c', 'echo one; sleep 1000'];
  await gateway.clf('run', '--detach', '--name', 'nightly', '--', ...command);
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

test('everything that matters is done by keys alone, and the focus is in sight', async () => {
  await using phone = await openPhone(browser, { gateway, size: 'desk', isSignedIn: false });
  const { page } = phone;
  await page.addInitScript(countPointers);
  await page.goto(gateway.url);
  await page.getByLabel('Login link').waitFor();
  await tabTo(page, /Login link/);
  await page.keyboard.type(await gateway.loginLink());
  await page.keyboard.press('Enter');
  await page.locator('nav.places').waitFor();

  // A thread, and a decision in it.
  await page.keyboard.press('n');
  await untilTitleHasFocus(page, 'New thread');
  await tabTo(page, /What should it do/);
  await page.keyboard.type('I need to clean up first.');
  await page.keyboard.press('Enter');
  await page.keyboard.type('ask: rm -r build');
  await page.locator('button:enabled', { hasText: /^Start/ }).waitFor();
  await tabTo(page, /^Start/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/threads\/./);
  const threadId = page.url().split('/').at(-1) ?? '';
  await decide(page, 'Deny');
  await untilEvent(gateway.client, threadId, isEnd);
  await say(page, 'ask: touch allowed');
  await decide(page, 'Allow once');
  await page.locator('.thread-facts').getByText('done').waitFor();

  // An agent that works is stopped.
  using gate = gateway.gate('keys');
  await say(page, 'sleep at keys');
  await gate.reached();
  await tabTo(page, /Stop the agent/);
  await page.keyboard.press('Enter');
  await page.locator('p.working').waitFor({ state: 'detached' });

  // A run, by the rows of its list.
  await page.locator('.composer textarea').blur();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('link', { name: /nightly/ }).waitFor();
  while (!/nightly/.test(await focused(page))) await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await untilTitleHasFocus(page, 'nightly');

  // A host.
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await page
    .getByRole('link', { name: /Add a host/ })
    .first()
    .waitFor();
  await tabTo(page, /Add a host/);
  await page.keyboard.press('Enter');
  for (const [field, text] of [
    [/^Name/, 'builder'],
    [/Host name or address/, '127.0.0.1'],
    [/User on the host/, 'ann'],
  ] as const) {
    await page.getByLabel(field).first().waitFor();
    await tabTo(page, field);
    await page.keyboard.type(text);
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'builder' }).waitFor();

  // Found by its name, from anywhere.
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox', { name: 'Find anything' }).waitFor();
  await page.keyboard.type('settings');
  await page
    .getByRole('option', { name: /Settings/ })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await untilTitleHasFocus(page, 'Settings');
  assert.equal(await page.evaluate(whatIsUnseen), '', 'it is marked for who uses keys');
  assert.equal(await page.evaluate('window.pointers'), 0, 'no pointer was used');
});

test('who decides by keys keeps the focus: on Undo, on the button again, and on the card when it is over', async () => {
  const asking = await talk(gateway.client, 'ask: touch by-keys', isApproval);
  const { items } = await gateway.client.asks.list();
  const ask = items.find(({ thread_id: of }) => of === asking) ?? assert.fail();
  await using phone = await openPhone(browser, { gateway, size: 'desk', at: `/asks/${ask.id}` });
  const { page } = phone;
  await page.addInitScript(countPointers);
  await page.reload();
  await armed(page, 'Allow once').waitFor();
  await tabTo(page, /Allow once/);
  // It is held until it is taken back, however long that takes here.
  await stopTimers(page);
  // Held down for longer than it takes to decide.
  await holdDownArmed(page, 'Allow once');
  await untilFocused(page, /^Undo$/);
  await page.keyboard.down('Enter');
  assert.equal(await focused(page), 'Undo');
  await page.keyboard.up('Enter');
  await page.keyboard.press('Enter');
  await page.getByText('Taken back. Nothing was sent.').waitFor();
  await untilFocused(page, /^Allow once/);
  await resumeTimers(page);

  const { promise: isLooked, resolve: looked } = Promise.withResolvers<void>();
  await page.route('**/api/v1/asks/*', async (route) => {
    if (route.request().method() === 'POST') await isLooked;
    await route.continue();
  });
  await pressUntilSent(page, 'Allow once', page.locator('.held:not(:has(button))'));
  await page.waitForFunction(() => document.activeElement?.matches('.held') === true);
  looked();
  await page.getByText('Allowed by you, on this device').waitFor();
  await page.waitForFunction(() => document.activeElement?.matches('.decision') === true);
  assert.equal(await page.evaluate('window.pointers'), 0, 'no pointer was used');
});

test('the name of a screen has the focus when a person comes to it, and not when the page is opened there', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/more' });
  const { page } = phone;
  await page.getByRole('link', { name: /^Keys/ }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
  await page.getByRole('link', { name: /^Keys/ }).tap();
  await untilTitleHasFocus(page, 'Keys');
  assert.equal(await page.evaluate(whatIsUnseen), 'it is not marked', 'for a finger it is as ever');
  await page.goBack();
  await untilTitleHasFocus(page, 'More');
});

test('in a wide window that which was opened is come to: the list, or the detail beside it', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/more', size: 'desk' });
  const { page } = phone;
  await page.getByRole('link', { name: /^Keys/ }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await untilTitleHasFocus(page, 'Runs', 'H2');
  await page.keyboard.press('j');
  while (!/nightly/.test(await focused(page))) await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await untilTitleHasFocus(page, 'nightly');
});

test('a sheet and the search give the focus back to what opened them', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/keys' });
  const { page } = phone;
  for (const [path, opener] of [
    ['/keys', /Make a key/],
    ['/threads', /Find anything/],
  ] as const) {
    await phone.go(path);
    await page.getByRole('button', { name: opener }).waitFor();
    await tabTo(page, opener);
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    assert.equal(
      await page.evaluate(() => document.activeElement?.closest('dialog') !== null),
      true,
      'it has the focus',
    );
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    assert.match(await focused(page), opener);
  }
});

test('the page can be zoomed, and for those who want it nothing moves', async () => {
  const asking = await talk(gateway.client, 'ask: rm -r build', isApproval);
  await using phone = await openPhone(browser, {
    gateway,
    at: `/threads/${asking}`,
    context: { reducedMotion: 'reduce' },
  });
  const { page } = phone;
  await page.locator('.decision').waitFor();
  assert.doesNotMatch(
    (await page.locator('meta[name="viewport"]').getAttribute('content')) ?? '',
    /user-scalable|maximum-scale|minimum-scale/,
  );
  const moving = await page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ playState }) => playState === 'running')
      .map((one) => (one.effect as KeyframeEffect | null)?.target?.className),
  );
  assert.deepEqual(moving, []);
});

/* With the key of a person who has read it: the buttons take a moment. */
async function decide(page: Page, word: string): Promise<void> {
  await armed(page, word).waitFor();
  await tabTo(page, new RegExp(word));
  await pressUntilSent(page, word, page.locator('body:not(:has(.decision))'));
}

/* What has the focus is taken: a button that has just moved takes no key. The key is still down. */
async function holdDownArmed(page: Page, word: string): Promise<void> {
  for (;;) {
    await armed(page, word).waitFor();
    await page.keyboard.down('Enter');
    await untilShown(page);
    if ((await page.locator('.decision-bar').count()) === 0) return;
    await page.keyboard.up('Enter');
  }
}

/* Until this shows that it is on its way: a page that was busy when it was to be sent takes it for left, and sends nothing. */
async function pressUntilSent(page: Page, word: string, sent: Locator): Promise<void> {
  do {
    await holdDownArmed(page, word);
    await page.keyboard.up('Enter');
    await sent.or(droppedNote(page)).first().waitFor();
  } while ((await sent.count()) === 0);
}

/* It is in sight and marked, too. */
async function untilFocused(page: Page, name: RegExp): Promise<void> {
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.activeElement?.textContent ?? ''),
    name.source,
  );
  assert.equal(await page.evaluate(whatIsUnseen), '');
}

async function untilTitleHasFocus(page: Page, title: string, tag = 'H1'): Promise<void> {
  await page.waitForFunction(
    ([text, name]) =>
      document.activeElement?.tagName === name &&
      (document.activeElement.textContent ?? '').includes(text),
    [title, tag] as const,
  );
}

async function say(page: Page, text: string): Promise<void> {
  await page.locator('.composer textarea').waitFor();
  await tabTo(page, /Message/);
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/* More than any screen has controls. */
const pressesMax = 120;

/* Until what is called so has the focus. Whatever has it on the way is in sight, marked, and covered by nothing. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < pressesMax; presses += 1) {
    if (name.test(await focused(page))) return;
    await page.keyboard.press('Tab');
    const wrong = await page.evaluate(whatIsUnseen);
    assert.equal(wrong, '', `${await focused(page)}: ${wrong}`);
  }
  assert.fail(`Tab never came to ${name}`);
}

function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return '';
    const labels = 'labels' in element ? [...((element as HTMLInputElement).labels ?? [])] : [];
    const named = element.ariaLabel ?? labels.map(({ textContent }) => textContent).join(' ');
    // A scroller is called nothing, whatever is in it.
    const own = element.matches('a, button, summary') ? element.textContent : '';
    return (named || own).trim().slice(0, 200);
  });
}

/* In the page. */
function whatIsUnseen(): string {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return '';
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  if (outlineStyle === 'none' || Number.parseFloat(outlineWidth) < 2) return 'it is not marked';
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2;
  const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
  const hit = document.elementFromPoint(x, y);
  const isHit = hit !== null && (element.contains(hit) || hit.contains(element));
  return isHit || hit?.closest('label') !== null ? '' : 'it is covered or out of sight';
}

/* In the page, before its scripts. */
function countPointers(): void {
  const page = window as unknown as { pointers: number };
  page.pointers = 0;
  addEventListener('pointerdown', () => (page.pointers += 1), { capture: true });
}
