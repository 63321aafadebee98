/*
 * An account followed against a server that says what a gateway would, loses its connections, and has gaps.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createClient } from '../src/client.ts';
import { followAccount } from '../src/follow-account.ts';

const at = '2026-01-01T00:00:00.000Z';
/* Waits for nothing. */
const clock = { ...createSystemClock(), sleep: async () => {} };
const options = { clock, random: createSystemRandom() };

const format = (event: string, id: number, data: object): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
const formatEvent = (seq: number, type = 'turn_ended'): string =>
  format(type, seq, { seq, type, thread_id: 'a', subject_id: 't', payload: {}, at });
const formatGap = (from: number, to: number, reason: string): string =>
  format('gap', to, { from, to, reason });

/* Each connection gets one of the texts, and is then ended. */
async function openStream(texts: readonly string[]) {
  const lastIds: unknown[] = [];
  const server = createServer((request, response) => {
    lastIds.push(request.headers['last-event-id']);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(texts[lastIds.length - 1] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    client: createClient({ baseUrl: `http://127.0.0.1:${port}` }),
    lastIds,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('it goes on where it was, tells of gaps, and follows back into a restored past', async () => {
  await using stream = await openStream([
    formatGap(3, 5, 'trimmed') + formatEvent(6) + formatEvent(7).slice(0, 20),
    // What was seen, and what is newer than this client.
    formatEvent(6) + formatEvent(7, 'something_newer') + formatEvent(8),
    // A backup from long ago was restored.
    formatGap(2, 1, 'ahead') + formatEvent(2),
  ]);
  const seen: string[] = [];
  const account = { client: stream.client, after: 2 };
  for await (const one of followAccount(account, options)) {
    seen.push(one.kind === 'event' ? String(one.event.seq) : `${one.gap.reason} ${one.gap.to}`);
    if (seen.length === 5) break;
  }
  assert.deepEqual(seen, ['trimmed 5', '6', '8', 'ahead 1', '2']);
  assert.deepEqual(stream.lastIds, ['2', '6', '8']);
});

test('what is not as documented is an error, not a hole', async () => {
  for (const text of [formatEvent(1).replace('"seq"', '"sequence"'), format('gap', 1, {})]) {
    await using stream = await openStream([text]);
    const events = followAccount({ client: stream.client }, options);
    await assert.rejects(events.next(), { code: 'answer-invalid' });
  }
});
