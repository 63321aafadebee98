/*
 * 385 MB to one client that reads and one that does not: memory stays bounded, the one is not held up, the other loses nothing.
 */
import assert from 'node:assert/strict';
import { createHash, type Hash } from 'node:crypto';
import { test } from 'node:test';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { openRunSocket, parseBinary, readOn, startRun, stopReading } from './fixtures.ts';
import type { TestSocket } from './fixtures.ts';

const lines = 5_000_000;
const line = 'what a slow reader has not taken waits in the journal, not in memory, at all\n';
const total = lines * line.length;
/* Half of what would be kept if something kept it: both clients live in this process too, and V8 collects when it likes. */
const grownBytesMax = 192 * 1024 ** 2;

/* Counts and hashes, and keeps nothing. */
function consume(socket: TestSocket): { readonly hash: Hash; bytes: number } {
  const seen = { hash: createHash('sha256'), bytes: 0 };
  socket.ws.on('message', (message: Buffer, isBinary) => {
    if (!isBinary) return;
    socket.binaries.length = 0;
    const { data } = parseBinary(message);
    seen.hash.update(data);
    seen.bytes += data.length;
  });
  return seen;
}

test('a client that does not read costs little, holds up nobody, and gets every byte later', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, {
    command: `read go; yes '${line.trimEnd()}' | head -n ${lines}`,
  });
  await using fast = await openRunSocket(rig, runId);
  await using stalled = await openRunSocket(rig, runId);
  const fastSeen = consume(fast);
  const stalledSeen = consume(stalled);
  for (const socket of [fast, stalled]) {
    socket.send({ type: 'terminal.attach', binary: true });
    await socket.next('terminal.attached');
  }
  stopReading(stalled);
  const before = process.memoryUsage().rss;
  let grown = 0;
  fast.ws.on('message', () => {
    grown = Math.max(grown, process.memoryUsage.rss() - before);
  });
  fast.send({ type: 'terminal.input', data: 'go\n' });
  assert.equal((await fast.closed).code, 1000);
  assert.equal(fastSeen.bytes, total);
  assert.ok(stalledSeen.bytes < total / 2, 'it was stalled');
  assert.ok(grown < grownBytesMax, `grew by ${grown}`);
  readOn(stalled);
  assert.equal((await stalled.closed).code, 1000);
  assert.equal(stalledSeen.bytes, total);
  assert.equal(stalledSeen.hash.digest('hex'), fastSeen.hash.digest('hex'));
});
