/*
 * From nothing to the first byte: connect, say who one is, attach to a run that has said something, and get it. Against a bare
 * `ws` server that sends the same bytes to whoever connects.
 */
import { createSystemClock } from '@clawdfather/kit';
import { WebSocket } from 'ws';
import { spreadOf, type Spread } from '../measure/statistics.ts';
import { type ServerProcess, startServer } from './server-process.ts';

export interface AttachOptions {
  readonly directory: string;
  readonly rounds: number;
  /* One after the other, in each round. */
  readonly attaches: number;
}

export interface AttachRounds {
  readonly ours: readonly Spread[];
  readonly bare: readonly Spread[];
}

const clock = createSystemClock();
const said = 'x'.repeat(1023);

export async function measureAttach(options: AttachOptions): Promise<AttachRounds> {
  await using ours = await startServer('./our-server.ts', [options.directory]);
  await using bare = await startServer('./bare-greeting.ts', [said]);
  const runId = await startRun(ours);
  const { token = '' } = ours.said;
  const attach = (): Promise<number> =>
    timeToBytes(`${ours.said['url']}/ws/runs/${runId}`, (socket) => {
      socket.send(JSON.stringify({ type: 'auth', token }));
      socket.send(JSON.stringify({ type: 'terminal.attach', binary: true }));
    });
  const connect = (): Promise<number> => timeToBytes(bare.said['url'] ?? '', () => {});
  const bareRounds: Spread[] = [];
  const ourRounds: Spread[] = [];
  for (let round = 0; round <= options.rounds; round += 1) {
    bareRounds.push(await repeat(options.attaches, connect));
    ourRounds.push(await repeat(options.attaches, attach));
  }
  await endRun(ours, runId);
  // The first of each warms up.
  return { ours: ourRounds.slice(1), bare: bareRounds.slice(1) };
}

async function repeat(count: number, once: () => Promise<number>): Promise<Spread> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) times.push(await once());
  return spreadOf(times);
}

async function timeToBytes(url: string, begin: (socket: WebSocket) => void): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sinceMs = clock.monotonicMs();
  const socket = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false });
  socket.on('open', () => begin(socket));
  socket.on('message', (_data, isBinary) => {
    if (isBinary) resolve(clock.monotonicMs() - sinceMs);
  });
  socket.on('error', reject);
  socket.on('close', (code) => reject(new Error(`closed with ${code} before the first byte`)));
  try {
    return await promise;
  } finally {
    socket.terminate();
  }
}

async function startRun(server: ServerProcess): Promise<string> {
  const result = await post(server, '/api/v1/runs', {
    command: `echo ${said}; exec cat`,
    background: true,
  });
  return String(result['runId']);
}

async function endRun(server: ServerProcess, runId: string): Promise<void> {
  await post(server, `/api/v1/runs/${runId}/cancel`, {});
}

async function post(
  { said: { url = '', token = '' } }: ServerProcess,
  path: string,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Readonly<Record<string, unknown>>;
}
