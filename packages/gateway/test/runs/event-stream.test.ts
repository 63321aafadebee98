/*
 * A slow reader costs a bounded amount of memory, and is cut off when it takes nothing; a quiet stream is kept alive.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createFakeClock } from '@clawdfather/testkit';
import { fastify, type FastifyReply } from 'fastify';
import { unsentBytesMax } from '../../src/live/limits.ts';
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
  stream.send(formatEvent({ event: 'output', id: '1.0', data: { text: 'a\nb' } }));
  await until('event: output\nid: 1.0\ndata: {"text":"a\\nb"}\n\n');
  stream.end();
  await until('\r\n0\r\n\r\n');
  assert.equal(clock.pendingTimers, 0);
});

test('no more waits than the bound, and after half a minute without taking it is cut off', async (t) => {
  const { clock, socket, stream, raw } = await openReader(t);
  socket.pause();
  const event = formatEvent({ event: 'output', id: '1.0', data: 'x'.repeat(100_000) });
  let drained = 0;
  stream.onDrained(() => {
    drained += 1;
  });
  for (;;) {
    if (stream.send(event)) continue;
    assert.ok(
      raw.writableLength < unsentBytesMax + 2 * event.length,
      `${raw.writableLength} bytes`,
    );
    // The kernel takes some megabytes on both sides; then it stands still.
    if (await isStill(raw)) break;
  }
  const before = drained;
  await clock.advance(29_000);
  assert.ok(!stream.signal.aborted);
  const closed = once(raw, 'close');
  await clock.advance(1_000);
  await closed;
  assert.ok(stream.signal.aborted);
  assert.equal(drained, before, 'nobody is told that there is room');
  assert.equal(stream.send(event), false);
  assert.equal(clock.pendingTimers, 0);
});

test('a stream that was full tells when it has room again', async (t) => {
  const { clock, socket, stream, raw } = await openReader(t);
  socket.pause();
  const event = formatEvent({ event: 'output', id: '1.0', data: 'x'.repeat(100_000) });
  while (stream.send(event) || !(await isStill(raw)));
  const drained = new Promise<void>((resolve) => stream.onDrained(resolve));
  socket.resume();
  await drained;
  assert.equal(raw.writableLength, 0);
  await clock.advance(30_000);
  assert.ok(!stream.signal.aborted);
});

/* Nothing goes out, however often the event loop turns. */
async function isStill(raw: FastifyReply['raw']): Promise<boolean> {
  for (let turn = 0; turn < 200 && raw.writableNeedDrain; turn += 1) await setImmediate();
  return raw.writableNeedDrain;
}
