/*
 * A member who does the worst that the bounds of an account let it, in a process of its own: `node member-load.ts URL TOKEN KIND`.
 * It says `{}` on its first line when the load stands, goes on until SIGTERM, and ends its runs then.
 *
 * What is refused is part of it: it asks again at once.
 */
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { createJsonClient } from './json-client.ts';

const [url = '', token = '', kind = ''] = process.argv.slice(2);
const client = createJsonClient(url, token, 256);
const runIds = new Set<string>();
const sockets: { destroy(): void }[] = [];
let isOver = false;

const flood = 'exec cat /dev/zero';
const loads: Readonly<Record<string, () => Promise<void>>> = {
  floods: () => startMany(flood, 3),
  'many floods': () => startMany(flood, 40),
  'busy runs': () => startMany('while :; do :; done', 60),
  starts: async () => repeat(32, () => start('true')),
  lists: async () => {
    await startMany('sleep 1000', 40);
    repeat(128, () => client.call('GET', '/api/v1/runs?limit=100'));
    repeat(8, () => client.call('GET', '/api/v1/runs?limit=100&use=true'));
  },
  bodies: async () => {
    const big = JSON.stringify({ command: 'true', stdin: 'x'.repeat(1_000_000) });
    const wrong = JSON.stringify({ command: 'true', nonsense: Array(200_000).fill(1) });
    repeat(8, () => client.call('POST', '/api/v1/runs', big));
    repeat(8, () => client.call('POST', '/api/v1/runs', wrong));
  },
  readers: async () => {
    await startMany(flood, 3);
    const [runId = ''] = runIds;
    for (let index = 0; index < 300; index += 1) openSocket(runId, index % 16 !== 0);
    for (let index = 0; index < 150; index += 1) openStream(runId);
    repeat(16, () => client.call('GET', `/api/v1/runs/${runId}/screen?picture=true`));
    repeat(16, () => client.call('GET', `/api/v1/runs/${runId}/output?limit=1000000`));
  },
};

process.once('SIGTERM', () => void end());
if (kind === 'all') for (const load of Object.values(loads)) await load();
else await loads[kind]?.();
// Until what is asked in loops has its first answers.
await setTimeout(1_000);
process.stdout.write('{}\n');

async function end(): Promise<void> {
  isOver = true;
  for (const socket of sockets) socket.destroy();
  await Promise.all(
    [...runIds].map((runId) => client.call('DELETE', `/api/v1/runs/${runId}?force=true`)),
  );
  client.close();
  process.exit(0);
}

async function start(command: string): Promise<void> {
  const { text } = await client.call('POST', '/api/v1/runs', JSON.stringify({ command }));
  const { runId } = JSON.parse(text) as { readonly runId?: string };
  if (runId !== undefined && command !== 'true') runIds.add(runId);
}

async function startMany(command: string, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => start(command)));
}

/* So many at a time, each again as soon as it is answered. */
function repeat(atOnce: number, ask: () => Promise<unknown>): void {
  const one = async (): Promise<void> => {
    while (!isOver) await ask().catch(() => setTimeout(10));
  };
  for (let index = 0; index < atOnce; index += 1) void one();
}

function openSocket(runId: string, isDeaf: boolean): void {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/runs/${runId}`);
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'auth', token }));
    socket.send(JSON.stringify({ type: 'terminal.attach', binary: isDeaf }));
    if (isDeaf) socket.pause();
  });
  socket.on('error', () => {});
  sockets.push({ destroy: () => socket.terminate() });
}

/* It asks and never reads. */
function openStream(runId: string): void {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.pause();
  socket.write(
    `GET /api/v1/runs/${runId}/output HTTP/1.1\r\nhost: ${hostname}:${port}\r\n` +
      `accept: text/event-stream\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  sockets.push(socket);
}
