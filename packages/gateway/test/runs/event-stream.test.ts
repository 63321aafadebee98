/*
 * One slow reader costs one event of memory, and is cut off when it takes nothing; a quiet stream is kept alive.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createFakeClock } from '@clawdfather/testkit';
import { fastify, type FastifyReply } from 'fastify';
import { type EventStream, formatEvent, openEventStream } from '../../src/runs/event-stream.ts';

async function openReader(t: TestContext) {
  const clock = createFakeClock();
  const opened = Promise.withResolvers<{ stream: EventStream; raw: FastifyReply['raw'] }>();
  const server = fastify({ forceCloseConnections: true });
  server.get('/', (_request, reply) => {
    reply.header('x-frame-options', 'DENY');
    opened.resolve({ stream: openEventStream(reply, clock), raw: reply.raw });
  });
  const url = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
  const socket: Socket = connect(Number(url.port), url.hostname);
  t.after(async () => {
    socket.destroy();
    await server.close();
  });
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return { clock, socket, ...(await opened.promise) };
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
  const { clock, socket, stream, raw } = await openReader(t);
  socket.pause();
  const event = { event: 'output', id: '1.0', data: 'x'.repeat(100_000) };
  for (;;) {
    const taken = stream.send(event);
    // The kernel takes some megabytes on both sides; then it stands still, and the sender is told.
    if (await isStill(raw)) {
      await clock.advance(100);
      assert.equal(await taken, false);
      break;
    }
    assert.equal(await taken, true);
  }
  assert.ok(raw.writableLength < 3 * formatEvent(event).length, `${raw.writableLength} bytes`);
  const failure = assert.rejects(stream.room(), /the reader is gone/);
  await clock.advance(29_000);
  assert.ok(!stream.signal.aborted);
  await clock.advance(1_000);
  await failure;
  assert.ok(stream.signal.aborted);
  await assert.rejects(stream.send(event), /the reader is gone/);
  assert.equal(clock.pendingTimers, 0);
});

/* Nothing goes out, however often the event loop turns. */
async function isStill(raw: FastifyReply['raw']): Promise<boolean> {
  for (let turn = 0; turn < 200 && raw.writableNeedDrain; turn += 1) await setImmediate();
  return raw.writableNeedDrain;
}
