/*
 * A thread followed against a server that says what a gateway would, and loses its connections.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createClient } from '../src/client.ts';
import type { LinkState } from '../src/follow-events.ts';
import { followThread } from '../src/follow-thread.ts';

const at = '2026-01-01T00:00:00.000Z';
/* Waits for nothing. */
const clock = { ...createSystemClock(), sleep: async () => {} };
const options = { clock, random: createSystemRandom() };

const formatEvent = (seq: number, type = 'delta', text = `${seq} `): string =>
  `event: ${type}\nid: ${seq}\ndata: ${JSON.stringify({ seq, turn_id: 't', type, payload: { role: 'agent', text }, at })}\n\n`;

/* Each connection gets one of the texts, and is then ended. */
async function openStream(texts: readonly string[]) {
  const lastIds: unknown[] = [];
  const paths: unknown[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    lastIds.push(request.headers['last-event-id']);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(texts[lastIds.length - 1] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    client: createClient({ baseUrl: `http://127.0.0.1:${port}` }),
    lastIds,
    paths,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('it goes on after lost connections where it was, and nothing is seen twice', async () => {
  await using stream = await openStream([
    formatEvent(3) + formatEvent(4) + formatEvent(5).slice(0, 20),
    // As a gateway would that does not know the place.
    formatEvent(4) + formatEvent(5),
    formatEvent(6, 'something-newer') + formatEvent(7),
  ]);
  const seen: number[] = [];
  const links: LinkState['kind'][] = [];
  const thread = { client: stream.client, threadId: 'a', after: 2 };
  const onLink = ({ kind }: LinkState): void => void links.push(kind);
  for await (const { seq } of followThread(thread, { ...options, onLink })) {
    seen.push(seq);
    if (seq === 7) break;
  }
  assert.deepEqual(seen, [3, 4, 5, 7]);
  assert.deepEqual(stream.lastIds, ['2', '4', '5']);
  assert.deepEqual(new Set(stream.paths), new Set(['/api/v1/threads/a/events']));
  assert.deepEqual(
    links.filter((kind) => kind === 'lost'),
    ['lost', 'lost'],
  );
});

test('an event of the wrong shape is an error, not a hole in the text', async () => {
  await using stream = await openStream([formatEvent(1).replace('"seq"', '"sequence"')]);
  const events = followThread({ client: stream.client, threadId: 'a' }, options);
  await assert.rejects(events.next(), { code: 'answer-invalid' });
});

test('a gateway that was restored to an earlier state tells everything anew, and says so first', async () => {
  await using stream = await openStream([
    formatEvent(8) + formatEvent(9),
    'event: reset\nid: 0\ndata: {"last_seq":2}\n\n',
    formatEvent(1) + formatEvent(2) + formatEvent(3),
  ]);
  const seen: (number | string)[] = [];
  const onReset = (): void => void seen.push('reset');
  const thread = { client: stream.client, threadId: 'a', after: 7, onReset };
  for await (const { seq } of followThread(thread, options)) {
    seen.push(seq);
    if (seq === 3) break;
  }
  assert.deepEqual(seen, [8, 9, 'reset', 1, 2, 3]);
  assert.deepEqual(stream.lastIds, ['7', '9', '0'], 'also after a connection that is lost then');
});
