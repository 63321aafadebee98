/*
 * 5,000 sockets that only wait and 500 that follow a run, on one gateway: what they cost, and that it does not grow.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { usualAccountBounds } from '../../src/accounts/account-bounds.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { makeTemporary } from '../fixtures/temporary.ts';

const idle = 5_000;
const active = 500;
/* Each is a message to every active socket: long enough for V8 to collect several times. */
const rounds = 200;
/* At once: more only queue in the kernel's backlog. */
const openingAtOnce = 100;
/* Of an idle socket, generously: it has a connection, its parsers and our own few objects. */
const idleKibMax = 40;
/* Over the second half, 50,000 messages: a leak of half a kilobyte for each would be more. */
const grownKibMax = 24 * 1024;

async function rssKib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
}

async function openAll(url: string, token: string, count: number): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  const openOne = async (): Promise<void> => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await once(socket, 'open');
    const greeted = once(socket, 'message');
    socket.send(JSON.stringify({ type: 'auth', token }));
    await greeted;
    sockets.push(socket);
  };
  while (sockets.length < count) {
    const next = Math.min(openingAtOnce, count - sockets.length);
    await Promise.all(Array.from({ length: next }, openOne));
  }
  return sockets;
}

test('5,000 idle and 500 active sockets cost what they cost once, and no more with use', async (t) => {
  await using place = await makeTemporary();
  const sockets = { perAddressMax: idle + active };
  const bounds = { ...usualAccountBounds, socketsMax: idle + active };
  await using gateway = await startGatewayProcess(place.path, { sockets, bounds });
  const { url, token, pid, me } = gateway;
  const runId = await me.start({ command: 'cat', background: true });
  const path = `${url.replace('http', 'ws')}/ws/runs/${runId}`;
  // What the first hundred bring along is the code, not theirs.
  const first = await openAll(path, token, openingAtOnce);
  const beforeKib = await rssKib(pid);
  const waiting = await openAll(path, token, idle - openingAtOnce);
  const perSocketKib = ((await rssKib(pid)) - beforeKib) / waiting.length;
  const following = await openAll(path, token, active);
  for (const socket of following) {
    const attached = once(socket, 'message');
    socket.send(JSON.stringify({ type: 'terminal.attach', binary: true }));
    await attached;
  }
  const sizes: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const heard = Promise.all(following.map((socket) => once(socket, 'message')));
    following[round % active]?.send(
      JSON.stringify({ type: 'terminal.input', data: `${round} `.repeat(200) }),
    );
    await heard;
    sizes.push(await rssKib(pid));
  }
  const half = sizes.slice(rounds / 2);
  const grownKib = (half.at(-1) ?? 0) - (half[0] ?? 0);
  const shown = sizes.filter((_size, round) => round % 20 === 19).join(' ');
  t.diagnostic(`${perSocketKib.toFixed(1)} KiB per idle socket; RSS every 20 rounds: ${shown}`);
  const all = [...first, ...waiting, ...following];
  const closed = all
    .filter(({ readyState }) => readyState !== WebSocket.CLOSED)
    .map((socket) => once(socket, 'close'));
  await gateway.end('SIGTERM');
  await Promise.all(closed);
  assert.ok(perSocketKib < idleKibMax, `${perSocketKib} KiB per idle socket`);
  assert.ok(grownKib < grownKibMax, `grew by ${grownKib} KiB: ${shown}`);
});
