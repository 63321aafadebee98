/*
 * A conversation that means harm, in a real browser: it is shown as the text that it is, all of it can be reached, and the page stays usable.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/chromium.ts';
import { fillThread, type WrittenEvent } from '../support/fill-thread.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

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

const turnId = 'turn-hostile';
const say = (text: string): WrittenEvent => ({
  type: 'delta',
  payload: { role: 'agent', messageId: text.slice(0, 20), text },
  turnId,
});

test('markup is text, hidden characters are seen, links say where they lead, and pictures are not fetched', async () => {
  const id = await fillThread(gateway, [
    say('<img src=x onerror="document.title=1"><script>document.title=2</script> <b>not bold</b>'),
    say(
      '[good words](javascript:document.title=3) [bank](https://evil.example/login) ![p](https://evil.example/p.png)',
    ),
    say('rm -rf \u202e/ gnihton\u202c \u200b\u0007 end of hidden'),
    say(`${'>'.repeat(5_000)} deep`),
    say('x'.repeat(1_000_000)),
    { type: 'dream', payload: { of: '<i>sheep</i>' }, turnId },
    say('The very end.'),
  ]);
  await using phone = await openPhone(browser, { gateway, at: `/threads/${id}` });
  const { page } = phone;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.getByText('The very end.').waitFor();
  await page.locator('.conversation').evaluate(async (scroller) => {
    for (let n = 0; n < 900 && !scroller.textContent?.includes('not bold'); n += 1) {
      scroller.scrollTop -= scroller.clientHeight;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
  await page.getByText('<b>not bold</b>').waitFor();
  const said = page.locator('.markdown');
  assert.equal(await said.locator('img, b, script').count(), 0);
  assert.equal(await page.locator('a[href^="javascript"]').count(), 0);
  await page.getByText('(https://evil.example/login)').waitFor();
  await page.getByText('rm -rf \\u202e/ gnihton\\u202c \\u200b\\x07 end of hidden').waitFor();
  assert.equal(await page.title(), 'Thread · Clawdfather');
  assert.deepEqual(
    asked.filter((url) => url.includes('evil.example')),
    [],
  );
  for (const link of await page.locator('.markdown a').all()) {
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
  }
});

test('5,000 tool calls in a row are a list like any other', async () => {
  const calls = Array.from({ length: 5_000 }, (_, n) => ({
    type: 'tool',
    payload: {
      update: 'tool_call',
      toolCallId: `call-${n}`,
      title: `Read file-${n}.ts`,
      kind: 'read',
      status: 'completed',
      content: [{ type: 'content', content: { type: 'text', text: 'line\n'.repeat(500) } }],
    },
    turnId,
  }));
  const id = await fillThread(gateway, calls);
  await using phone = await openPhone(browser, { gateway, at: `/threads/${id}` });
  const { page } = phone;
  await page.getByRole('button', { name: /file-4999\.ts/ }).click();
  await page.getByRole('button', { name: /^Show more/ }).waitFor();
  assert.ok((await page.locator('*').count()) < 3_000);
});
