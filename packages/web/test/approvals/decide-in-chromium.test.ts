/*
 * Decisions in a real browser: where the buttons are, what a tap does and when, what is shown, and what happens when somebody else is
 * faster, the app is left, or the connection is lost.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type AskingAgent, openAskingAgent } from '../support/asking-agent.ts';
import { openChromium } from '../support/chromium.ts';
import { noteTimers, resumeTimers, stopTimers } from '../support/long-timers.ts';
import { openPhone, type Phone, type PhoneSize } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { armed, droppedNote, tapArmed, tapUntil, tapUntilSent } from '../support/tap-armed.ts';

let browser: Browser;
let gateway: RealGateway;
let agent: AskingAgent;
/* For tests that need only its cookies. */
let signedIn: Phone;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
  agent = await openAskingAgent(gateway);
  signedIn = await openPhone(browser, { gateway });
});
after(async () => {
  await signedIn?.[Symbol.asyncDispose]();
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

async function stateOf(id: string): Promise<string> {
  return (await gateway.client.approvals.get({ params: { id } })).state;
}

test('deny is left and allow is right, large and apart, on every size of screen', async () => {
  const id = await agent.ask('touch a && touch b');
  const storageState = await signedIn.context.storageState();
  for (const size of ['small', 'usual', 'sideways', 'desk'] as const satisfies PhoneSize[]) {
    await using phone = await openPhone(browser, {
      gateway,
      size,
      isSignedIn: false,
      context: { storageState },
    });
    await phone.page.goto(`${gateway.url}/approvals/${id}`);
    await armed(phone.page, 'Allow once').waitFor();
    const widest = await phone.page.evaluate(
      () => document.documentElement.scrollWidth - innerWidth,
    );
    assert.ok(widest <= 0, `${size}: nothing is wider than the screen`);
    const boxes = await phone.page
      .locator('.decision-bar button')
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().toJSON()));
    const [deny, allow] = boxes;
    assert.ok(boxes.length === 2 && deny !== undefined && allow !== undefined);
    for (const { width, height } of boxes) assert.ok(width >= 48 && height >= 48, size);
    assert.ok(allow.left - deny.right >= 16, `${size}: ${allow.left - deny.right} px apart`);
    assert.equal(allow.top, deny.top, size);
    const bottom = await phone.page.locator('.decision').evaluate((card) => {
      const bar = card.querySelector('.decision-bar')?.getBoundingClientRect();
      return card.getBoundingClientRect().bottom - (bar?.bottom ?? 0);
    });
    assert.ok(bottom >= 0 && bottom <= 24, `${size}: at the bottom`);
  }
  await gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
});

test('no line of a command ends between a hyphen and what belongs to it', async () => {
  const id = await agent.ask(`touch ${'-- '.repeat(20)}${'-rf '.repeat(60).trim()}`);
  await using phone = await openPhone(browser, { gateway, as: signedIn, at: `/approvals/${id}` });
  await armed(phone.page, 'Deny').waitFor();
  const torn = await phone.page
    .locator('.exact')
    .first()
    .evaluate((text) => {
      const letters = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
      const tops: (readonly [string, number])[] = [];
      while (letters.nextNode() !== null) {
        for (const [at, letter] of (letters.currentNode.nodeValue ?? '').split('').entries()) {
          const range = new Range();
          range.setStart(letters.currentNode, at);
          range.setEnd(letters.currentNode, at + 1);
          tops.push([letter, range.getBoundingClientRect().top]);
        }
      }
      const lines = new Set(tops.map(([, top]) => top)).size;
      const count = tops.filter(([letter, top], at) => {
        const [next = ' ', nextTop = top] = tops[at + 1] ?? [];
        return letter === '-' && next !== ' ' && nextTop !== top;
      }).length;
      return { lines, count };
    });
  assert.ok(torn.lines > 3, `${torn.lines} lines`);
  assert.equal(torn.count, 0);
  await gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
});

test('an allowed command runs only after the time for undo; undo sends nothing; allow always is two steps away', async () => {
  const id = await agent.ask('touch undone');
  await using phone = await openPhone(browser, { gateway, as: signedIn, at: '/inbox' });
  const { page } = phone;
  const decisions: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/approvals/'))
      decisions.push(request.postData() ?? '');
  });
  await page.getByRole('link', { name: /touch undone/ }).click();
  assert.equal(await page.getByText('Allow always', { exact: true }).count(), 0);
  await stopTimers(page);
  await tapArmed(page, 'Allow once');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Taken back. Nothing was sent.').waitFor();
  await resumeTimers(page);
  assert.deepEqual([decisions, await stateOf(id)], [[], 'pending']);

  await page.getByRole('button', { name: 'Allow always…' }).click();
  await page.locator('.rules code', { hasText: '/usr/bin/touch' }).waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await tapUntilSent(page, 'Allow once', page.getByText(/Allowed by you, on this device/));
  await page.getByRole('link', { name: 'Open the run' }).waitFor();
  const { digest, state } = await gateway.client.approvals.get({ params: { id } });
  assert.equal(state, 'started');
  assert.deepEqual(
    decisions.map((text) => JSON.parse(text) as unknown),
    [{ decision: 'allow-once', digest }],
  );
});

test('denying with a reason tells the agent why', async () => {
  const id = await agent.ask('touch not-this');
  await using phone = await openPhone(browser, { gateway, as: signedIn, at: `/approvals/${id}` });
  const { page } = phone;
  await page.getByRole('button', { name: 'Deny with a reason' }).click();
  await page.getByLabel(/Why not/).fill('Use the script instead.');
  await tapUntilSent(page, 'Deny', page.getByText('Reason: Use the script instead.'));
  const { reason, state } = await gateway.client.approvals.get({ params: { id } });
  assert.deepEqual([state, reason], ['denied', 'Use the script instead.']);
});

test('hiding the app takes back what was chosen, so nothing is decided unseen', async () => {
  const id = await agent.ask('touch unseen');
  await using phone = await openPhone(browser, { gateway, as: signedIn, at: `/approvals/${id}` });
  const { page } = phone;
  await stopTimers(page);
  await tapArmed(page, 'Allow once');
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
    Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await droppedNote(page).waitFor();
  await armed(page, 'Allow once').waitFor();
  assert.equal(await stateOf(id), 'pending');
  await gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
});

test('what a computer held when it fell asleep is not sent when it wakes, also where the page is told of nothing', async () => {
  const id = await agent.ask('touch asleep');
  await using phone = await openPhone(browser, { gateway, as: signedIn, at: `/approvals/${id}` });
  const { page } = phone;
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/approvals/'))
      sent.push(request.url());
  });
  await stopTimers(page);
  await tapArmed(page, 'Allow once');
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  // Its monotonic clock stood still.
  await page.evaluate((sleptMs) => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + sleptMs;
  }, 60_000);
  await resumeTimers(page);
  await droppedNote(page).waitFor();
  assert.deepEqual([sent, await stateOf(id)], [[], 'pending']);
  await gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
});

test('what was decided elsewhere says by whom, and a decision that was being held is dropped', async () => {
  const id = await agent.ask('touch elsewhere');
  await using phone = await openPhone(browser, { gateway, as: signedIn, at: `/approvals/${id}` });
  const { page } = phone;
  await stopTimers(page);
  await tapArmed(page, 'Allow once');
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await gateway.client.approvals.decide({
    params: { id },
    body: { decision: 'deny', reason: 'no' },
  });
  await page.getByText(/Denied by you, on “.+”/).waitFor();
  assert.equal(await page.locator('.decision-bar').count(), 0);
  assert.equal(await stateOf(id), 'denied');
});

test('what was decided elsewhere is told by an event: it shows although nothing in the page asks again', async () => {
  const id = await agent.ask('touch told-of');
  await using phone = await openPhone(browser, { gateway, as: signedIn, at: '/inbox' });
  const { page } = phone;
  await page.addInitScript(noteTimers);
  await page.goto(`${gateway.url}/approvals/${id}`);
  await armed(page, 'Allow once').waitFor();
  await stopTimers(page);
  await gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
  await page.getByText(/Denied by you, on “.+”/).waitFor();
});

test('without a connection the buttons are off and say why, and nothing is kept for later', async () => {
  const id = await agent.ask('touch offline');
  await using phone = await openPhone(browser, {
    gateway,
    as: signedIn,
    at: `/approvals/${id}`,
    expects: [/ERR_INTERNET_DISCONNECTED/],
  });
  const { page, context } = phone;
  await armed(page, 'Allow once').waitFor();
  await context.setOffline(true);
  await page
    .getByText(/This device is offline|Not connected/)
    .first()
    .waitFor();
  await page.locator('.decision-bar button', { hasText: 'Allow once' }).click({ force: true });
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
  await context.setOffline(false);
  await armed(page, 'Allow once').waitFor();
  assert.equal(await stateOf(id), 'pending');
  await gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
});

test('at 320 px the way to the end makes room for the buttons, and buttons that are cut off say so', async () => {
  const { thread } = await gateway.client.threads.create({ body: {} });
  const text = `say 400 words\nask: touch ${'x'.repeat(900)}`;
  await gateway.client.threads.prompt({ params: { id: thread.id }, body: { text } });
  const at = `/threads/${thread.id}`;
  await using phone = await openPhone(browser, { gateway, size: 'small', at, as: signedIn });
  const { page } = phone;
  const list = page.getByRole('region', { name: 'Conversation' });
  const pill = page.locator('.pill');
  await page.locator('.decision-bar').waitFor();
  /* So that the lower edge of the buttons is this far above that of the list. */
  const scrollTo = (abovePx: number): Promise<void> =>
    list.evaluate((scroller, px) => {
      const bar = scroller.querySelector('.decision-bar');
      if (bar === null) return;
      const { bottom } = scroller.getBoundingClientRect();
      scroller.scrollTop += bar.getBoundingClientRect().bottom - bottom + px;
    }, abovePx);
  await page.locator('.decision-body').evaluate((body) => body.scrollIntoView());
  await pill.waitFor();
  await scrollTo(-20);
  await page.getByText('Scroll until both buttons show.').waitFor();
  await scrollTo(4);
  await armed(page, 'Deny').waitFor();
  const [bar, way] = [await page.locator('.decision-bar').boundingBox(), await pill.boundingBox()];
  assert.ok(bar !== null && way !== null);
  assert.ok(way.y + way.height <= bar.y || way.y >= bar.y + bar.height, 'one beside the other');
  await tapUntilSent(page, 'Deny', page.locator('.thread-facts').getByText('done'));
});

test('in a conversation what leads further is hit in its whole height, close above the buttons', async () => {
  const { thread } = await gateway.client.threads.create({ body: {} });
  const body = { text: 'question: Which way?' };
  await gateway.client.threads.prompt({ params: { id: thread.id }, body });
  const at = `/threads/${thread.id}`;
  await using phone = await openPhone(browser, { gateway, at, as: signedIn });
  const { page } = phone;
  await armed(page, 'Decline').waitFor();
  const { apart, hits } = await page.locator('.more-ways .button').evaluate((button) => {
    const { left, right, top, bottom } = button.getBoundingClientRect();
    const bar = document.querySelector('.decision-bar')?.getBoundingClientRect();
    const ends = [top + 1, bottom - 1].map((y) => document.elementFromPoint((left + right) / 2, y));
    return { apart: (bar?.top ?? 0) - bottom, hits: ends.every((hit) => button.contains(hit)) };
  });
  assert.ok(hits && apart >= 8 && apart <= 24, `${apart} px, ${hits ? '' : 'not '}hit`);
  await tapArmed(page, 'Decline');
});

const hostile: readonly (readonly [name: string, word: string, shown: string])[] = [
  ['direction', 'photo\u202egnp.exe', 'photo\\u202egnp.exe'],
  ['isolates', 'a\u2066b\u2069c', 'a\\u2066b\\u2069c'],
  ['controls', 'a\u001b[2Jb\u0007\u009bc', 'a\\x1b[2Jb\\x07\\x9bc'],
  ['zero width', 'r\u200bm\u2060\ufeff', 'r\\u200bm\\u2060\\ufeff'],
  ['tags', 'x\u{e0072}\u{e006d}', 'x\\u{e0072}\\u{e006d}'],
  ['right to left letters', 'אבג rm', 'אבג rm'],
  ['html', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
];

test('hostile commands are shown as the gateway rendered them, whole', async () => {
  await using phone = await openPhone(browser, { gateway, as: signedIn });
  for (const [name, word, shown] of hostile) {
    const id = await agent.ask({ argv: ['/usr/bin/touch', word] });
    await phone.go(`/approvals/${id}`);
    const exact = phone.page.locator('.decision', { hasText: 'touch' }).locator('.exact').first();
    await exact.getByText(shown).waitFor();
    const { argv } = await gateway.client.approvals.get({ params: { id } });
    assert.ok(argv?.[1] === shown && (await exact.textContent())?.includes(shown), name);
    await gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
    await phone.go('/inbox');
    await phone.page.getByRole('heading', { name: 'Inbox' }).waitFor();
  }
});

test('a line of 8 kB opens allow only when its end was on the screen', async () => {
  const id = await agent.ask({ argv: ['/usr/bin/touch', `${'x'.repeat(8_000)}END`] });
  await using phone = await openPhone(browser, { gateway, as: signedIn, at: `/approvals/${id}` });
  const { page } = phone;
  await armed(page, 'Deny').waitFor();
  await page.getByText('Read to the end to allow it.').waitFor();
  assert.equal(await armed(page, 'Allow once').count(), 0);
  await page.locator('.decision-bar button', { hasText: 'Allow once' }).click({ force: true });
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
  await page.locator('.decision-body').evaluate((body) => body.scrollTo(0, body.scrollHeight));
  await armed(page, 'Allow once').waitFor();
  await gateway.client.approvals.decide({ params: { id }, body: { decision: 'deny' } });
});

async function begin(text: string): Promise<string> {
  const { thread } = await gateway.client.threads.create({ body: {} });
  await gateway.client.threads.prompt({ params: { id: thread.id }, body: { text } });
  return thread.id;
}

test('a question is answered with its form, and a permission of an agent with our words', async () => {
  const thread = await begin('question: Which branch?\nask: rm -r build');
  await using phone = await openPhone(browser, { gateway, as: signedIn });
  const { page } = phone;
  // The thread itself is in the inbox, too, as one that works.
  await page.locator('a[href^="/asks/"]', { hasText: 'Which branch' }).click();
  await tapUntil(page, 'Send answer', page.getByText('This is needed.'));
  await page.getByLabel('Which branch?').fill('main');
  await tapUntilSent(page, 'Send answer', page.getByText(/Answered by you, on this device/));
  await phone.go(`/threads/${thread}`);
  await page.getByText('Which branch?: main').waitFor();
  await tapUntilSent(page, 'Allow once', page.getByText('rm -r build: allow').first());
  await page.getByText(/Permission allowed by you, on this device/).waitFor();
});

test('a permission that was denied says so: on its screen, in the list of all, and in its thread', async () => {
  const thread = await begin('ask: terraform apply');
  await using phone = await openPhone(browser, { gateway, as: signedIn });
  const { page } = phone;
  await page.locator('a[href^="/asks/"]', { hasText: 'terraform apply' }).click();
  await page.getByRole('heading', { name: 'Permission', level: 1 }).waitFor();
  await tapUntilSent(page, 'Deny', page.getByText(/Denied by you, on this device/));
  await page.locator('.over .badge.bad', { hasText: 'denied' }).waitFor();
  await phone.go('/approvals');
  const row = page.locator('a.row', { hasText: 'terraform apply' });
  await row.locator('.badge.bad', { hasText: /^denied$/ }).waitFor();
  await row.getByText(/Denied by you, on this device/).waitFor();
  // All of the sentence is shown.
  assert.ok(await row.locator('.facts').evaluate((one) => one.scrollWidth <= one.clientWidth));
  await phone.go(`/threads/${thread}`);
  await page.getByText(/Permission denied by you, on this device/).waitFor();
});
