/*
 * Calls over connections that are gone without a word: they end, and only they.
 */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { hasCode } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import { createClient } from '../src/client.ts';
import type { Fetch } from '../src/call-endpoint.ts';
import { createOutboxWire } from '../src/outbox/outbox-wire.ts';

const ms = 15_000;

/* Never answers; ends when it is told to, as a browser's does. */
const silent: Fetch = (_url, { signal }) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });

function openClient(fetch: Fetch) {
  const clock = createFakeClock();
  return {
    clock,
    client: createClient({ baseUrl: 'http://gateway.test', fetch, callLimit: { clock, ms } }),
  };
}

/* What a call has come to so far. */
function watch(call: Promise<unknown>) {
  const seen: { end: unknown } = { end: 'open' };
  call.then(
    () => {
      seen.end = 'answered';
    },
    (error: unknown) => {
      seen.end = error;
    },
  );
  return seen;
}

test('a call without an answer ends at the limit, as unreachable, and leaves no timer and no listener', async () => {
  const { client, clock } = openClient(silent);
  const { signal } = new AbortController();
  const call = watch(client.settings.get({}, { signal }));
  await clock.advance(ms - 1);
  assert.equal(call.end, 'open');
  await clock.advance(1);
  assert.ok(hasCode(call.end, 'gateway-unreachable'));
  assert.equal(clock.pendingTimers, 0);
  assert.equal(getEventListeners(signal, 'abort').length, 0, 'nobody listens on');
});

test('what is sent from an outbox counts as unanswered at the limit', async () => {
  const { client, clock } = openClient(silent);
  const sent = createOutboxWire(client).prompt('key', 'thread', { kind: 'message', text: 'x' });
  await clock.advance(ms);
  assert.deepEqual(await sent, { kind: 'unanswered' });
});

test('a call that waits has its wait on top, and one that asks another machine the time of the gateway', async () => {
  const { client, clock } = openClient(silent);
  const poll = watch(client.events.list({ query: { after: 1, wait_ms: 20_000 } }));
  const params = { id: 'host' };
  const other = watch(client.connections.test({ params, body: {} }));
  const plain = watch(client.events.list({ query: { after: 'now' } }));
  await clock.advance(ms);
  assert.ok(hasCode(plain.end, 'gateway-unreachable'));
  await clock.advance(19_999);
  assert.equal(poll.end, 'open');
  await clock.advance(1);
  assert.ok(hasCode(poll.end, 'gateway-unreachable'));
  assert.equal(other.end, 'open');
  await clock.advance(10_000);
  assert.ok(hasCode(other.end, 'gateway-unreachable'));
});

test('whoever gives up before the limit gets the reason that was given', async () => {
  const { client, clock } = openClient(silent);
  const leaving = new AbortController();
  const call = watch(client.settings.get({}, { signal: leaving.signal }));
  leaving.abort(new Error('left'));
  await clock.advance(0);
  assert.equal((call.end as Error).message, 'left');
  assert.equal(clock.pendingTimers, 0);
});

test('an answer that comes slowly is waited for; one that stops in its middle is not', async () => {
  const pieces: ReadableStreamDefaultController<Uint8Array>[] = [];
  const { client, clock } = openClient(async (_url, { signal }) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        pieces.push(controller);
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return new Response(body, { status: 500 });
  });
  const call = watch(client.settings.get());
  for (let count = 0; count < 3; count += 1) {
    await clock.advance(ms - 1);
    assert.equal(call.end, 'open');
    pieces[0]?.enqueue(new TextEncoder().encode(' '));
  }
  await clock.advance(ms - 1);
  assert.equal(call.end, 'open');
  await clock.advance(1);
  assert.ok(hasCode(call.end, 'gateway-unreachable'));
});
