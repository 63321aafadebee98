/*
 * The time by the gateway's clock, from what its answers say.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aheadAfter, openGatewayTime } from '../../src/state/gateway-time.ts';

const hourMs = 60 * 60_000;
const atMs = Date.UTC(2026, 10, 18, 12);

/* An answer that took so long, from a gateway whose clock is so far ahead of ours. */
const told = (gatewayAheadMs: number, tookMs: number) => ({
  askedMs: atMs,
  answeredMs: atMs + tookMs,
  toldMs: Math.floor((atMs + tookMs / 2 + gatewayAheadMs) / 1_000) * 1_000,
});

test('a clock that is as right as a person can tell is believed', () => {
  for (const aheadMs of [-3_000, 0, 3_000]) assert.equal(aheadAfter(0, told(aheadMs, 40)), 0);
  // What was found before is dropped when the clock was put right.
  assert.equal(aheadAfter(hourMs, told(0, 40)), 0);
});

test('a clock that is an hour off is put right to a few seconds, whichever way', () => {
  for (const aheadMs of [-hourMs, hourMs]) {
    const found = aheadAfter(0, told(aheadMs, 40));
    assert.ok(Math.abs(found - aheadMs) < 2_000, String(found));
    // The next answer moves nothing, however the second was rounded.
    assert.equal(aheadAfter(found, told(aheadMs + 700, 40)), found);
  }
});

test('an answer that was slow, such as one that a page heard after it was frozen, says nothing new', () => {
  const slow = { ...told(0, 300_000), toldMs: atMs };
  assert.equal(aheadAfter(0, slow), 0);
  assert.equal(aheadAfter(hourMs, { ...slow, toldMs: atMs + hourMs }), hourMs);
});

test('the time comes with every answer, and one that tells none changes nothing', async () => {
  let date: string | undefined = new Date(atMs + hourMs).toUTCString();
  const time = openGatewayTime({ wallMs: () => atMs }, async () => {
    const headers = date === undefined ? {} : { date };
    return new Response('', { headers });
  });
  assert.equal(time.nowMs(), atMs);
  await time.fetch('/', {});
  assert.ok(Math.abs(time.nowMs() - atMs - hourMs) < 2_000);
  date = undefined;
  await time.fetch('/', {});
  assert.ok(Math.abs(time.nowMs() - atMs - hourMs) < 2_000);
});
