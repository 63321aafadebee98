/*
 * Answers to pings: every client gets them, and one that asks without end and reads nothing does not make us keep them.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { openRunSocket, readOn, startRun, stopReading } from './fixtures.ts';

const pings = 300_000;
/* What the two kernels hold of answers and of questions together is less than half of it, in pings of this size. */
const payload = Buffer.alloc(125, 'x');

test('a ping is answered with what it brought', async () => {
  await using rig = await openTestGateway();
  await using socket = await openRunSocket(rig, await startRun(rig, { command: 'sleep 60' }));
  socket.ws.ping('are you there');
  const [data] = await once(socket.ws, 'pong');
  assert.equal(String(data), 'are you there');
});

test('pings of a client that does not read are not kept for it, and it is answered again when it reads', async () => {
  await using rig = await openTestGateway();
  await using socket = await openRunSocket(rig, await startRun(rig, { command: 'sleep 60' }));
  let pongs = 0;
  socket.ws.on('pong', () => (pongs += 1));
  stopReading(socket);
  for (let sent = 1; sent < pings; sent += 1) socket.ws.ping(payload);
  await new Promise((resolve) => socket.ws.ping(payload, true, resolve));
  readOn(socket);
  socket.send({ type: 'heartbeat' });
  await socket.next('heartbeat_ack');
  assert.ok(pongs > 0 && pongs < pings / 2, `${pongs} answers to ${pings} pings`);
  socket.ws.ping('still there');
  let last = '';
  while (last !== 'still there') last = String((await once(socket.ws, 'pong'))[0]);
});
