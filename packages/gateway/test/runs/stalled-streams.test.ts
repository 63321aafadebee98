/*
 * As many streams as an account may have, all but one of which never read: the gateway's memory stays bounded, and the one that
 * reads gets every byte.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { makeTemporary } from '../fixtures/temporary.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';

const stalledCount = 99;
const lines = 3_000_000;
const line = 'what a stream has not taken waits in the journal, and not in memory, at all\n';
/*
 * Half a megabyte for each of them, if none shared what it waits for, and what a gateway needs for a flood. Without a bound each
 * takes many times that.
 */
const grownBytesMax = 200 * 1024 ** 2;

/* Asks for the stream and never reads a byte of it. */
async function openStalled(url: URL, path: string, token: string): Promise<Socket> {
  const socket = connect({ port: Number(url.port), host: url.hostname });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  const headers = `host: ${url.host}\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream`;
  socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
  return socket;
}

function residentBytes(pid: number): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

test('streams that never read cost the gateway little, and one that reads beside them gets every byte', async (t) => {
  await using directory = await makeTemporary();
  await using gateway = await startGatewayProcess(directory.path);
  const { me, pid, url, token } = gateway;
  const command = `read go; yes '${line.trimEnd()}' | head -n ${lines}`;
  const runId = await me.start({ command, background: true });
  const path = `/api/v1/runs/${runId}/output`;
  const stalled = await Promise.all(
    Array.from({ length: stalledCount }, () => openStalled(new URL(url), path, token)),
  );
  try {
    await using events = await me.events(path);
    const before = residentBytes(pid);
    await me.post(`/api/v1/runs/${runId}/input`, { data: 'go\n' });
    const hash = createHash('sha256');
    let bytes = 0;
    let grown = 0;
    for (;;) {
      const event = await events.next();
      assert.ok(event !== undefined, 'the exit comes last');
      if (event.event === 'exit') break;
      assert.equal(event.event, 'output');
      const piece = Buffer.from(event.data.data, 'base64');
      hash.update(piece);
      bytes += piece.length;
      grown = Math.max(grown, residentBytes(pid) - before);
    }
    t.diagnostic(`grown by ${Math.round(grown / 1024 ** 2)} MiB`);
    assert.equal(bytes, lines * line.length);
    const expected = createHash('sha256');
    const block = line.repeat(1_000);
    for (let count = 0; count < lines; count += 1_000) expected.update(block);
    assert.equal(hash.digest('hex'), expected.digest('hex'));
    assert.ok(grown < grownBytesMax, `grown by ${grown} bytes`);
  } finally {
    for (const socket of stalled) socket.destroy();
  }
});
