/*
 * A run followed against a server that says what a gateway would, and some things that it would not.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createClient } from '../src/client.ts';
import { followRun } from '../src/follow-run.ts';

const options = { clock: createSystemClock(), random: createSystemRandom() };
const at = '2026-01-01T00:00:00.000Z';
const exit = {
  reason: 'exit',
  code: 0,
  signal: null,
  coreDumped: false,
  actor: null,
  detail: null,
  startedAt: at,
  endedAt: at,
  durationMs: 1,
  usage: null,
  killed: { pid: 0, pgid: 0, cgroup: 0 },
  escapees: 0,
  leftovers: [],
  survivors: [],
  undrainedBytes: 0,
  failure: null,
  cursor: '2.0',
};

async function openStream(text: string) {
  const lastIds: unknown[] = [];
  const server = createServer((request, response) => {
    lastIds.push(request.headers['last-event-id']);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(text);
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

const formatEvent = (name: string, id: string, data: unknown): string =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;

test('output comes with the cursor after it, and the exit ends it', async () => {
  await using stream = await openStream(
    formatEvent('output', '1.0', { stream: 'stdout', at, data: 'aGk=' }) +
      formatEvent('something-newer', '1.5', {}) +
      formatEvent('exit', '2.0', { runId: 'r', exit }),
  );
  const seen: (readonly [string, string])[] = [];
  const run = { client: stream.client, runId: 'r', cursor: '0.0' };
  for await (const { name, cursor } of followRun(run, options)) seen.push([name, cursor]);
  assert.deepEqual(seen, [
    ['output', '1.0'],
    ['exit', '2.0'],
  ]);
  assert.deepEqual(stream.lastIds, ['0.0']);
});

test('an event of the wrong shape is an error, not a hole in the output', async () => {
  await using stream = await openStream(formatEvent('output', '1.0', { stream: 'stdout', at }));
  const events = followRun({ client: stream.client, runId: 'r' }, options);
  await assert.rejects(events.next(), { code: 'answer-invalid' });
});
