/*
 * One slow reader costs one event of memory, and is cut off when it takes nothing; a quiet stream is kept alive.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { fastify } from 'fastify';
import { type EventStream, formatEvent, openEventStream } from '../../src/runs/event-stream.ts';

async function openReader(t: TestContext) {
  const clock = createFakeClock();
  const opened = Promise.withResolvers<EventStream>();
  const server = fastify({ forceCloseConnections: true });
  server.get('/', (_request, reply) => {
    reply.header('x-frame-options', 'DENY');
    opened.resolve(openEventStream(reply, clock));
  });
  const url = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
  const socket: Socket = connect(Number(url.port), url.hostname);
  t.after(async () => {
    socket.destroy();
    await server.close();
  });
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return { clock, socket, stream: await opened.promise };
}

test('headers of every answer are there, and a comment comes while nothing happens', async (t) => {
  const { clock, socket, stream } = await openReader(t);
  let said = '';
  socket.on('data', (bytes) => {
    said += bytes.toString();
  });
  const until = async (text: string) => {
    while (!said.includes(text)) await once(socket, 'data');
  };
  await until('retry: 1000\n\n');
  assert.match(said, /x-frame-options: DENY\r\n/);
  assert.match(said, /content-type: text\/event-stream\r\n/);
  await clock.advance(20_000);
  await until(': alive\n\n');
  await stream.send({ event: 'output', id: '1.0', data: { text: 'a\nb' } });
  await until('event: output\nid: 1.0\ndata: {"text":"a\\nb"}\n\n');
  stream.end();
  await until('\r\n0\r\n\r\n');
  assert.equal(clock.pendingTimers, 0);
});

test('nothing more is written than the reader takes; after half a minute without taking it is cut off', async (t) => {
  const { clock, socket, stream } = await openReader(t);
  socket.pause();
  const event = { event: 'output', id: '1.0', data: 'x'.repeat(100_000) };
  let sent = 0;
  const sending = (async () => {
    for (;;) {
      await stream.send(event);
      sent += 1;
    }
  })();
  const failure = assert.rejects(sending, /the reader is gone/);
  // The kernel takes some megabytes on both sides; then it stands still.
  let before = -1;
  while (before !== sent) {
    before = sent;
    await clock.advance(0);
    await clock.advance(0);
  }
  assert.ok(sent * formatEvent(event).length < 64_000_000, `${sent} events`);
  await clock.advance(30_000);
  await failure;
  assert.ok(stream.signal.aborted);
  assert.equal(clock.pendingTimers, 0);
});
