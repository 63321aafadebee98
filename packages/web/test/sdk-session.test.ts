/*
 * The sdk's session in a real browser, against a real gateway that is killed, behind a network that resets, freezes and closes politely: the page
 * has every event once and in order, as the gateway has them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { openChromium } from './support/chromium.ts';
import { openPhone } from './support/phone.ts';
import { openRealGateway, type RealGateway } from './support/real-gateway.ts';
import type { SessionInPage } from './support/session-page.ts';

type PageWindow = typeof globalThis & {
  readonly sdk: { followSession(sessionId: string): SessionInPage };
  session: SessionInPage;
};

/* As strict as the app's own, so that the sdk is tried where it has to work. */
const policy = "default-src 'self'; script-src 'self'; require-trusted-types-for 'script'";

/* One script that leaves its door in `sdk`. */
async function bundlePage(): Promise<string> {
  const entry = fileURLToPath(new URL('support/session-page.ts', import.meta.url));
  const [built] = (await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@clawdfather/source', 'browser'] },
    build: { write: false, lib: { entry, formats: ['iife'], name: 'sdk' } },
  })) as Rolldown.RolldownOutput[];
  const chunk = built?.output[0];
  assert.ok(chunk?.type === 'chunk');
  return `${chunk.code}\nglobalThis.sdk = sdk;`;
}

/* A page of the gateway's origin that has nothing but the sdk. */
async function openBarePage(page: Page, { url }: RealGateway): Promise<void> {
  // Made up here it comes from nowhere, and Chromium lets no such page open sockets to this machine.
  await page.context().grantPermissions(['local-network-access']);
  const script = await bundlePage();
  await page.route('**/bare.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  );
  await page.route('**/bare', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'content-security-policy': policy },
      body: '<!doctype html><title>bare</title><script src="/bare.js"></script>',
    }),
  );
  await page.goto(`${url}/bare`);
}

async function untilSeen(page: Page, count: number): Promise<void> {
  const hasSeen = (wanted: number): boolean =>
    (globalThis as PageWindow).session.events.length >= wanted;
  await page.waitForFunction(hasSeen, count);
}

async function eventsOf({ client }: RealGateway, id: string) {
  const all = [];
  for (;;) {
    const query = { after: all.at(-1)?.seq ?? 0, limit: 500 };
    const { items } = await client.threads.events({ params: { id }, query });
    if (items.length === 0) return all;
    all.push(...items);
  }
}

test('a page follows a session through resets, a close with 1000, a frozen network and kill -9: every event once', async () => {
  await using gateway = await openRealGateway();
  await using browser = await openChromium();
  // zod tries whether it may compile its schemas, and does without.
  const expects = [
    /net::ERR_/,
    /WebSocket/,
    /status of 50/,
    /TrustedScript|Function constructor/,
    /policy: require-trusted-types-for forbids trusted-types-sink Function/,
  ];
  const context = { serviceWorkers: 'block' } as const;
  await using phone = await openPhone(browser, { gateway, at: '/devices', expects, context });
  const { page } = phone;
  const { client, proxy } = gateway;
  const { session } = await client.sessions.create({ body: { agent: 'echo' } });
  const id = session.agent_session_id ?? '';
  await openBarePage(page, gateway);
  await page.evaluate((sessionId) => {
    const here = globalThis as PageWindow;
    here.session = here.sdk.followSession(sessionId);
  }, session.id);
  const parts = ['reset', 'closed', 'frozen', 'killed'];
  const text = parts.map((part) => `say 300 words\nsleep at ${part}`).join('\n');
  const { turn } = await client.threads.prompt({ params: { id }, body: { text } });
  /* The agent stands at the gate, and the page has all that there is. */
  const arrive = async (part: string): Promise<void> => {
    await gateway.gate(part).reached();
    await untilSeen(page, (await eventsOf(gateway, id)).length);
  };

  await arrive('reset');
  proxy.reset();
  gateway.gate('reset').release();

  await arrive('closed');
  proxy.closeNormally();
  gateway.gate('closed').release();

  await arrive('frozen');
  proxy.freeze(true);
  gateway.gate('frozen').release();
  await gateway.gate('killed').reached();
  // As a phone that is taken out of the pocket says it.
  await page.evaluate(() => (globalThis as PageWindow).session.line.wake(60_000));
  proxy.freeze(false);
  await untilSeen(page, (await eventsOf(gateway, id)).length);

  await gateway.kill();
  await gateway.start();
  gateway.gate('killed').release();
  await page.waitForFunction(
    (turnId) =>
      (globalThis as PageWindow).session.events.some(
        ({ turn_id: of, payload }) => of === turnId && payload['event'] === 'completed',
      ),
    turn.id,
  );
  await client.sessions.close({ params: { id: session.id } });
  await page.waitForFunction(() => (globalThis as PageWindow).session.end !== undefined);
  const seen = await page.evaluate(() => {
    const { events, others, end, statuses } = (globalThis as PageWindow).session;
    return { events, others: others.map(({ kind }) => kind), end, statuses: statuses.length };
  });
  const all = await eventsOf(gateway, id);
  const told = seen.events.length;
  assert.deepEqual(seen.events, all.slice(0, told));
  // How its agent ends may come after the end of the session, and then nobody is followed any more.
  const untold = all.slice(told).map(({ turn_id: of, payload }) => of ?? payload['event']);
  const ofAgent: readonly unknown[] = ['agent-closing', 'agent-ended'];
  assert.deepEqual(untold, ofAgent.slice(ofAgent.length - untold.length));
  assert.deepEqual([seen.others, seen.end], [['restarted', 'closed'], 'left']);
  assert.ok(seen.statuses > 4, 'a person was told of each loss');
});
