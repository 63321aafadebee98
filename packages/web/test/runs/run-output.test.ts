/*
 * The output of a run that is opened while the gateway is away: it comes as soon as the gateway does.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effect } from '@preact/signals';
import { createClient, type Fetch } from '@clawdfather/sdk';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { textOf } from '../../src/runs/output-window.ts';
import { openRunOutput } from '../../src/runs/run-output.ts';

const runId = 'aaaaaaaaaaaaaaaa';

function openRig() {
  const clock = createFakeClock();
  const gateway = { isAway: true };
  const fetch: Fetch = async (url, { headers, signal }) => {
    if (gateway.isAway) throw new TypeError('no network');
    if (new Headers(headers).get('accept') === 'text/event-stream') {
      const body = new ReadableStream({
        start: (stream) => signal?.addEventListener('abort', () => stream.error(signal.reason)),
      });
      return new Response(body);
    }
    const isOlder = new URL(url).searchParams.has('before');
    const page = { runId, text: isOlder ? 'older\n' : 'cut\nnewest\n', encoding: 'text' };
    const place = { cursor: isOlder ? 'b.0' : 'c.0', from: isOlder ? 'a.0' : 'b.0' };
    return Response.json({
      ...page,
      ...place,
      isEnd: true,
      droppedBytes: 0,
      damagedBytes: 0,
      isTailLost: false,
      hasEnded: false,
      hasOlder: !isOlder,
    });
  };
  const client = createClient({ baseUrl: 'http://gateway.test', fetch });
  const random = createSeededRandom(1);
  const beforePaint = (show: () => void): void => show();
  const output = openRunOutput({ client, clock, random, beforePaint, onExit: () => {} }, runId);
  const shown = (): string => textOf(output.window.value ?? { blocks: [] });
  return { clock, gateway, output, shown };
}

test('a run that was opened without a gateway is read when the gateway is there', async () => {
  const { clock, gateway, output, shown } = openRig();
  await clock.advance(5_000);
  assert.equal(output.problem.value?.kind, 'unreachable');
  gateway.isAway = false;
  output.retry();
  await clock.advance(20);
  assert.equal(output.problem.value, undefined);
  assert.equal(shown(), 'newest\n');
  assert.equal(output.link.value, 'live');
  output.close();
});

test('older output that failed to come is told of until it is there', async () => {
  const { clock, gateway, output, shown } = openRig();
  gateway.isAway = false;
  await clock.advance(60_000);
  gateway.isAway = true;
  await output.loadOlder();
  assert.equal(output.problem.value?.kind, 'unreachable');
  gateway.isAway = false;
  output.retry();
  await clock.advance(20);
  assert.equal(output.problem.value, undefined);
  assert.equal(shown(), 'older\ncut\nnewest\n');
  output.close();
});

test('of a page that is never painted no more waits than its window holds', async () => {
  const clock = createFakeClock();
  const piece = `${'x'.repeat(9_999)}\n`;
  const pieces = 1_000;
  const fetch: Fetch = async (_, { headers }) => {
    if (new Headers(headers).get('accept') !== 'text/event-stream') {
      return Response.json({
        runId,
        text: '',
        encoding: 'text',
        cursor: 'a.0',
        isEnd: true,
        droppedBytes: 0,
        damagedBytes: 0,
        isTailLost: false,
        hasEnded: false,
      });
    }
    const events = Array.from({ length: pieces }, (_, index) => {
      const data = { stream: 'stdout', at: '2026-11-01T08:00:00.000Z', data: btoa(piece) };
      return `id: b.${index}\nevent: output\ndata: ${JSON.stringify(data)}\n\n`;
    });
    return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
  };
  const client = createClient({ baseUrl: 'http://gateway.test', fetch });
  const random = createSeededRandom(1);
  const beforePaint = (): void => {};
  const output = openRunOutput({ client, clock, random, beforePaint, onExit: () => {} }, runId);
  // The stream ends when all of it was read.
  const read = Promise.withResolvers<void>();
  const stop = effect(() => {
    if (output.link.value === 'lost' || output.problem.value !== undefined) read.resolve();
  });
  await read.promise;
  stop();
  const characters = textOf(output.window.value ?? { blocks: [] }).length;
  assert.ok(characters > 100_000 && characters < 500_000, `${characters} characters`);
  output.close();
});
