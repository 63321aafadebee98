/*
 * Following events over connections that break, against a server that breaks them at every place.
 */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createRandom, createSystemClock } from '@clawdfather/kit';
import type { Endpoint } from '@clawdfather/protocol/api';
import { followEvents, type LinkState } from '../src/follow-events.ts';

const endpoint: Endpoint = { method: 'GET', path: '/events', summary: 'x', access: 'read' };
const random = createRandom((target) => target.fill(0));
/* Waiting between attempts takes no time here; that they are made is what is looked at. */
const clock = { ...createSystemClock(), sleep: async () => {} };

interface Visit {
  readonly lastId: string | undefined;
  readonly response: ServerResponse;
}

async function openEvents(serve: (visit: Visit, count: number) => void) {
  const visits: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const header = request.headers['last-event-id'];
    const lastId = typeof header === 'string' ? header : undefined;
    visits.push(lastId);
    serve({ lastId, response }, visits.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    visits,
    connection: {
      baseUrl: `http://127.0.0.1:${port}`,
      fetch: (url: string, init: RequestInit) => fetch(url, init),
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const total = 6;

/* Events 1 to 6, then `end`; breaks after `bytes` bytes of what it has to say. */
function serveFrom(bytes: number) {
  return ({ lastId, response }: Visit, count: number): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const first = Number(lastId ?? 0) + 1;
    let text = '';
    for (let id = first; id <= total; id += 1) text += `id: ${id}\nevent: output\ndata: n${id}\n\n`;
    text += 'event: end\ndata: {}\n\n';
    if (count > 1) return void response.end(text);
    response.write(text.slice(0, bytes), () => response.destroy());
  };
}

test('wherever the connection breaks, every event comes once and in order', async () => {
  const whole = 'id: 1\nevent: output\ndata: n1\n\n'.length * total + 20;
  for (let bytes = 0; bytes < whole; bytes += 7) {
    await using server = await openEvents(serveFrom(bytes));
    const seen: string[] = [];
    const input = { endpoint, lastEvents: ['end'] };
    for await (const { name, data } of followEvents(server.connection, input, { clock, random })) {
      if (name === 'output') seen.push(data);
    }
    assert.deepEqual(seen, ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'], `broken after ${bytes} bytes`);
  }
});

test('an end without the last event is taken for a broken connection', async () => {
  await using server = await openEvents(({ response }, count) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(count < 3 ? '' : 'event: end\ndata: {}\n\n');
  });
  const states: string[] = [];
  const onLink = ({ kind }: LinkState): void => void states.push(kind);
  const input = { endpoint, lastEvents: ['end'] };
  for await (const _event of followEvents(server.connection, input, { clock, random, onLink }));
  assert.equal(server.visits.length, 3);
  assert.deepEqual(states, [
    'connecting',
    'live',
    'lost',
    'connecting',
    'live',
    'lost',
    'connecting',
    'live',
  ]);
});

test('a gateway that is starting is asked again, one that says no is not', async () => {
  await using starting = await openEvents(({ response }, count) => {
    response.writeHead(count === 1 ? 503 : 200, { 'content-type': 'text/event-stream' });
    response.end(count === 1 ? '' : 'event: end\ndata: {}\n\n');
  });
  const input = { endpoint, lastEvents: ['end'] };
  for await (const _event of followEvents(starting.connection, input, { clock, random }));
  assert.equal(starting.visits.length, 2);

  await using refusing = await openEvents(({ response }) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"error":{"code":"not_found","message":"x","detail":{}}}');
  });
  const refused = followEvents(refusing.connection, input, { clock, random });
  await assert.rejects(refused.next(), { code: 'request-refused' });
  assert.equal(refusing.visits.length, 1);
});

test('an aborted reader gets its reason, and the connection is let go', async () => {
  await using server = await openEvents(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: 1\nevent: output\ndata: n1\n\n');
  });
  const aborting = new AbortController();
  const events = followEvents(
    server.connection,
    { endpoint, lastEvents: ['end'] },
    { clock, random, signal: aborting.signal },
  );
  await events.next();
  const reason = new Error('enough');
  aborting.abort(reason);
  await assert.rejects(events.next(), reason);
});

test('a renewal replaces a stream that looks open at once, goes on where it was, and is taken back at the end', async () => {
  await using server = await openEvents(({ lastId, response }, count) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const next = Number(lastId ?? 0) + 1;
    response.write(`id: ${next}\nevent: output\ndata: n${next}\n\n`);
    if (count === 3) response.end('event: end\ndata: {}\n\n');
  });
  const streams = new Set<() => void>();
  const renewals = (renew: () => void): (() => void) => {
    streams.add(renew);
    return () => void streams.delete(renew);
  };
  const states: string[] = [];
  const onLink = ({ kind }: LinkState): void => void states.push(kind);
  const { signal } = new AbortController();
  const options = { clock, random, renewals, onLink, signal };
  const seen: string[] = [];
  const input = { endpoint, lastEvents: ['end'] };
  for await (const { name, data } of followEvents(server.connection, input, options)) {
    if (name !== 'output') continue;
    seen.push(data);
    // Nothing more comes over this one, and it does not say so.
    for (const renew of streams) if (seen.length < 3) renew();
  }
  assert.deepEqual(seen, ['n1', 'n2', 'n3']);
  assert.ok(!states.includes('lost'), states.join());
  assert.equal(streams.size, 0);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});
