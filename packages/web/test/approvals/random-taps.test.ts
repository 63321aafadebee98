/*
 * Taps at random times around a card that appears, moves and is covered: none of them decides anything before the buttons are armed.
 *
 * What counts as armed is measured in the page by the test itself, from when it saw the card appear and when it moved or covered it.
 * TAPS=1000 takes as many; `npm run test:web:long` does.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { createSeededRandom } from '@clawdfather/testkit';
import { openAskingAgent } from '../support/asking-agent.ts';
import { openChromium } from '../support/chromium.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';
import { batchesOf } from '../support/rounds.ts';

const tapsWanted = Number(process.env['TAPS'] ?? 30);
/* Of one appearance of the card: about as long as it takes to be armed twice. */
const tapsPerRound = 6;
/* In 25 rounds. */
const tapsOfTest = 25 * tapsPerRound;

let browser: Browser;
let gateway: RealGateway;

before(async () => {
  gateway = await openRealGateway();
  browser = await openChromium();
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

interface Seen {
  readonly decisions: number;
  /* Decisions that came too early, with what was known of them. */
  readonly early: readonly string[];
  /* Taps that hit a button, and how many of those hit one that was not armed. */
  readonly hits: number;
  readonly hitsUnarmed: number;
}

for (const { from, to, name } of batchesOf(tapsWanted, tapsOfTest)) {
  test(`of taps at random times, none decides before the card was seen for 600 ms and stood still for 400 ms (taps ${name})`, () =>
    tapAtRandom(to - from, from));
}

async function tapAtRandom(count: number, seed: number): Promise<void> {
  const agent = await openAskingAgent(gateway);
  // Those of the tests before are still held.
  const command = `touch by-chance-${seed}`;
  const id = await agent.ask(command);
  await using phone = await openPhone(browser, { gateway });
  const { page } = phone;
  await page.evaluate(() => {
    // Held for so long that a round, which ends when something is held, is over before it is sent.
    localStorage.setItem('clf-preferences', JSON.stringify({ undoMs: 5_000 }));
  });
  await page.reload();
  await page.getByText(command).waitFor();
  const cdp = await phone.context.newCDPSession(page);
  await page.evaluate(watch);
  const random = createSeededRandom(11 + seed);
  const chance = (below: number): number =>
    (((random.bytes(1)[0] ?? 0) << 8) | (random.bytes(1)[0] ?? 0)) % below;
  let taps = 0;
  while (taps < count) {
    await phone.go(`/approvals/${id}`);
    for (let tap = 0; tap < tapsPerRound && taps < count; tap += 1) {
      await page.waitForTimeout(chance(420));
      if ((await page.locator('.held').count()) > 0) break;
      if (chance(4) === 0) await page.evaluate(shift, chance(60));
      if (chance(8) === 0) await page.evaluate(cover, 1 + chance(200));
      await tapOnce(cdp, await aim(page, chance(2) === 0), chance(3) === 0 ? chance(500) : 20);
      taps += 1;
    }
    await phone.go('/inbox');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  }
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);
  assert.deepEqual(seen.early, []);
  assert.ok(
    seen.hitsUnarmed > count / 20,
    `taps on buttons that were not armed: ${JSON.stringify(seen)}`,
  );
  assert.ok(seen.decisions > 0, `taps on armed buttons decide: ${JSON.stringify(seen)}`);
  const { state } = await gateway.client.approvals.get({ params: { id } });
  assert.equal(state, 'pending', 'leaving drops what is held');
}

/* Where a button is, or will be. */
async function aim(page: Page, allows: boolean): Promise<{ x: number; y: number }> {
  return page.evaluate((isRight) => {
    const bar = document.querySelector('.decision-bar')?.getBoundingClientRect();
    const { left, width, top, height } =
      bar ?? new DOMRect(16, innerHeight - 140, innerWidth - 32, 56);
    return { x: left + width * (isRight ? 0.75 : 0.25), y: top + height / 2 };
  }, allows);
}

async function tapOnce(
  cdp: CDPSession,
  at: { x: number; y: number },
  holdMs: number,
): Promise<void> {
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
  await new Promise((resolve) => {
    setTimeout(resolve, holdMs);
  });
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

/* Runs in the page: notes when the card came, moved and was covered, and judges each decision by that. */
function watch(): void {
  const inViewMs = 600;
  const stillMs = 400;
  const times = { appearedMs: Number.POSITIVE_INFINITY, movedMs: 0, coveredMs: 0, downMs: 0 };
  const seen = { decisions: 0, early: [] as string[], hits: 0, hitsUnarmed: 0 };
  const isEarly = (): boolean =>
    times.downMs - times.appearedMs < inViewMs ||
    times.downMs - times.movedMs < stillMs ||
    times.downMs - times.coveredMs < inViewMs;
  Object.assign(globalThis, { seen, times });
  addEventListener(
    'pointerdown',
    (event) => {
      times.downMs = event.timeStamp;
      if (
        !(event.target instanceof Element) ||
        event.target.closest('.decision-bar button') === null
      )
        return;
      seen.hits += 1;
      if (isEarly()) seen.hitsUnarmed += 1;
    },
    true,
  );
  let hadBar = false;
  let wasHeld = false;
  new MutationObserver(() => {
    const hasBar = document.querySelector('.decision-bar') !== null;
    const isHeld = document.querySelector('.held') !== null;
    if (hasBar && !hadBar) times.appearedMs = performance.now();
    if (isHeld && !wasHeld) {
      seen.decisions += 1;
      if (isEarly()) seen.early.push(JSON.stringify({ ...times, nowMs: performance.now() }));
    }
    hadBar = hasBar;
    wasHeld = isHeld;
  }).observe(document.body, { childList: true, subtree: true });
}

/* Runs in the page. */
function shift(byPx: number): void {
  const foot = document.querySelector<HTMLElement>('.decision-foot');
  const { times } = globalThis as unknown as { times: { movedMs: number } };
  if (foot === null) return;
  // What was not set is 0, and 0 moves nothing.
  if ((foot.style.marginBottom || '0px') !== `${byPx}px`) times.movedMs = performance.now();
  foot.style.marginBottom = `${byPx}px`;
}

/* Runs in the page: something lies over the buttons for a while. */
function cover(forMs: number): void {
  const { times } = globalThis as unknown as { times: { coveredMs: number } };
  const over = document.createElement('div');
  Object.assign(over.style, { position: 'fixed', inset: '0', zIndex: '9' });
  document.body.append(over);
  times.coveredMs = performance.now();
  setTimeout(() => {
    times.coveredMs = performance.now();
    over.remove();
  }, forMs);
}
