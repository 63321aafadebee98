/*
 * Runs from a phone: start one, watch it, type into it, stop it; a long output, and one on a terminal.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from './support/chromium.ts';
import { openPhone } from './support/phone.ts';
import { openRealGateway, type RealGateway } from './support/real-gateway.ts';

let browser: Browser;
let gateway: RealGateway;

/* What lives at once in any of these tests. */
const runsMax = 2;
/* More than any test takes: what ends before has been killed. */
const patienceMs = 600_000;

before(async () => {
  gateway = await openRealGateway({ settings: { gateway: { liveRunsMax: runsMax } } });
  browser = await openChromium();
});
after(async () => {
  await browser?.close();
  await gateway?.[Symbol.asyncDispose]();
});

test('a command is started, watched, typed into and asked to end, from the phone alone', async () => {
  await using phone = await openPhone(browser, { gateway, at: '/runs' });
  const { page } = phone;
  await page.getByText('Nothing is running').waitFor();
  await page.getByRole('link', { name: 'Start a command' }).click();
  const command = `echo ready; while read word; do echo "got <$word>"; done; echo over; sleep 600`;
  await page.getByLabel('Command').fill(command);
  await page.getByLabel('Name', { exact: true }).fill('reader');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('heading', { name: 'reader' }).waitFor();
  const output = page.getByRole('log', { name: 'Output' });
  await output.getByText('ready').waitFor();
  await page.getByLabel('Input for the program').fill('one two');
  await page.getByRole('button', { name: 'Send' }).click();
  await output.getByText('got <one two>').waitFor();
  await page.getByRole('button', { name: 'Enter', exact: true }).click();
  await output.getByText('got <>').waitFor();
  await page.getByRole('button', { name: 'End of input' }).click();
  await output.getByText('over').waitFor();
  await page.getByLabel('Search in the output').fill('GOT <o');
  await page.getByText('1 line of what is loaded').waitFor();

  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  await stop.click();
  // A tap beside the sheet, or on what stands where the thumb rests, ends nothing.
  await page.getByRole('button', { name: 'Let it run' }).click();
  await page.locator('header').getByText('running').waitFor();
  await page.getByRole('button', { name: 'About' }).click();
  await stop.click();
  await page.getByRole('button', { name: 'Ask it to end' }).click();
  await page.locator('header .badge.plain').getByText('cancelled').waitFor();
  assert.equal(await stop.count(), 0);
  assert.equal(await page.getByLabel('Input for the program').count(), 0);
  await page.getByRole('link', { name: 'Back to Runs' }).click();
  await page
    .getByRole('link', { name: /reader/ })
    .getByText('cancelled')
    .waitFor();
  // What it said last stands in its row.
  await page
    .getByRole('link', { name: /reader/ })
    .getByText('over', { exact: true })
    .waitFor();
});

test('what is known of a run keeps up with what it says', async () => {
  const { runId } = await startRun('cat');
  const say = async (data: string): Promise<void> => {
    await gateway.client.runs.input({ params: { id: runId }, body: { data } });
  };
  await using phone = await openPhone(browser, { gateway, at: `/runs/${runId}` });
  const { page } = phone;
  await page.getByRole('button', { name: 'About' }).click();
  const valueOf = (name: string) =>
    page.locator('.facts-of > div').filter({ has: page.getByText(name, { exact: true }) });
  await valueOf('Last output').getByText('none yet').waitFor();
  await say('hello\n');
  await valueOf('Last output').getByText('none yet').waitFor({ state: 'detached' });
  // The journal has grown by the second line.
  const before = (await valueOf('Journal').textContent()) ?? '';
  assert.match(before, /^Journal[\d.]+ (bytes|kB): the output/);
  await say(`${'hello again '.repeat(300)}\n`);
  await valueOf('Journal').getByText(before.slice('Journal'.length)).waitFor({ state: 'detached' });
  await gateway.client.runs.cancel({ params: { id: runId } });
});

test('of a long output the end is there at once, with few nodes; older pages come when they are asked for', async () => {
  const lines = 60_000;
  const { runId } = await startRun(`seq 1 ${lines}; echo "the end"`);
  await gateway.client.runs.wait({ params: { id: runId } });
  await using phone = await openPhone(browser, { gateway, at: `/runs/${runId}` });
  const { page } = phone;
  const output = page.getByRole('log', { name: 'Output' });
  await output.getByText('the end').waitFor();
  const first = async (): Promise<number> =>
    Number((await output.locator('pre').first().textContent())?.split('\n')[0]);
  const firstBefore = await first();
  assert.ok(firstBefore > lines / 2, `${firstBefore} is the first line that is shown`);
  await output.getByRole('button', { name: 'Show older' }).click();
  await page.waitForFunction(
    (known) => Number(document.querySelector('.reader pre')?.textContent?.split('\n')[0]) < known,
    firstBefore,
  );
  const shown = (await output.locator('pre').allTextContents()).join('').trim().split('\n');
  const firstNow = Number(shown[0]);
  const expected = Array.from(
    { length: lines - firstNow + 1 },
    (_, index) => `${firstNow + index}`,
  );
  assert.deepEqual(shown, [...expected, 'the end']);
  assert.ok((await page.locator('*').count()) < 600);
});

test('a program that floods is followed at its end, in a bounded window', async () => {
  const { runId } = await startRun(
    'read go; i=0; while [ $i -lt 40 ]; do i=$((i+1)); seq 1 10000; sleep 0.05; done; echo "all said"; cat',
  );
  await using phone = await openPhone(browser, { gateway, at: `/runs/${runId}` });
  const { page } = phone;
  const output = page.getByRole('log', { name: 'Output' });
  // Not before it is followed: what was said by then is not followed but read, and only its end.
  await page.getByText('No output yet').waitFor();
  await gateway.client.runs.input({ params: { id: runId }, body: { data: 'go\n' } });
  await output.getByText('all said').waitFor();
  const characters = (await output.locator('pre').allTextContents()).join('').length;
  assert.ok(characters > 100_000 && characters < 500_000, `${characters} characters`);
  const belowPx = await output.evaluate(
    (element) => element.scrollHeight - element.clientHeight - element.scrollTop,
  );
  assert.ok(belowPx < 3, `${belowPx} px below`);
  await gateway.client.runs.cancel({ params: { id: runId } });
});

test('of a program on a terminal the screen is shown; keys reach it and its size is left alone', async () => {
  const { runId } = await startRun('cat -v', true);
  await using phone = await openPhone(browser, { gateway, at: `/runs/${runId}` });
  const { page } = phone;
  const screen = page.getByRole('log', { name: 'Terminal' });
  await screen.waitFor();
  await page.getByLabel('Input for the program').fill('hello there');
  await page.getByRole('button', { name: 'Send' }).click();
  await screen.getByText('hello there').first().waitFor();
  await page.getByRole('button', { name: 'Esc' }).click();
  await page.getByRole('button', { name: 'Enter', exact: true }).click();
  await screen.getByText('^[').first().waitFor();
  await page.getByRole('button', { name: 'Control D' }).click();
  await page.locator('header').getByText('done').waitFor();
  const { cols, rows } = await gateway.client.runs.screen({ params: { id: runId } });
  assert.deepEqual([cols, rows], [120, 30]);
});

test('keys that are tapped while the first is being sent arrive behind it, in order', async () => {
  const { runId } = await startRun('cat -v', true);
  await using phone = await openPhone(browser, { gateway, at: `/runs/${runId}` });
  const { page } = phone;
  const screen = page.getByRole('log', { name: 'Terminal' });
  await screen.waitFor();
  // In one task of the page: none of them has an answer before the last is tapped.
  await page.getByRole('toolbar', { name: 'Keys' }).evaluate((bar) => {
    for (const name of ['Esc', 'Up', 'Down', 'Left', 'Enter']) {
      bar.querySelector<HTMLElement>(`[aria-label="${name}"]`)?.click();
    }
  });
  await screen.getByText('^[^[[A^[[B^[[D').first().waitFor();
  await gateway.client.runs.cancel({ params: { id: runId } });
});

test('as many commands live as may: those that hold the places are shown, with what was left behind, and stopped from there', async () => {
  await startRun('sleep 600');
  const { runId: left } = await startRun('(sleep 600 &) ; echo over');
  await gateway.client.runs.wait({ params: { id: left } });
  await using phone = await openPhone(browser, {
    gateway,
    at: '/runs/new',
    expects: [/status of 409/],
  });
  const { page } = phone;
  await page.getByLabel('Command').fill('echo "there was room"');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('2 runs are alive already.').waitFor();
  const heading = page.getByRole('heading', { name: /Living commands/ });
  await heading.getByText('2').waitFor();
  await page.getByText('What it left behind lives on.').waitFor();
  await page.getByRole('button', { name: /^Stop \(sleep 600/ }).click();
  await page.getByRole('button', { name: 'Kill it at once' }).click();
  await heading.getByText('1').waitFor();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('log', { name: 'Output' }).getByText('there was room').waitFor();
});

test('one that does not end when it is asked says that it is ending, and can be killed meanwhile', async () => {
  const line = `trap "" TERM; echo here; while :; do sleep 0.1; done`;
  const body = { command: line, background: true, graceMs: patienceMs };
  const begun = await gateway.client.runs.create({ body });
  assert.ok(begun.status === 'running');
  const { runId } = begun;
  await using phone = await openPhone(browser, { gateway, at: `/runs/${runId}` });
  const { page } = phone;
  await page.getByRole('log', { name: 'Output' }).getByText('here').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('button', { name: 'Ask it to end' }).click();
  const sheet = page.getByRole('dialog');
  assert.ok(await sheet.getByRole('button', { name: 'Ending …' }).isDisabled());
  assert.equal(await sheet.getByRole('button', { name: 'Let it run' }).count(), 0);
  await page.locator('header .badge').getByText('ending').waitFor();
  // What was asked stays asked for who comes back to it.
  await sheet.locator('.sheet-answers').getByRole('button', { name: 'Close' }).click();
  await sheet.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  assert.ok(await sheet.getByRole('button', { name: 'Ending …' }).isDisabled());
  await sheet.getByRole('button', { name: 'Kill it at once' }).click();
  await page.locator('header .badge.plain').getByText('cancelled').waitFor();
  await sheet.waitFor({ state: 'detached' });
});

async function startRun(command: string, pty = false): Promise<{ runId: string }> {
  const begun = await gateway.client.runs.create({ body: { command, background: true, pty } });
  assert.ok(begun.status === 'running');
  return begun;
}
