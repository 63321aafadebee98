/*
 * One command's output to many sockets: through the gateway (journal on disk, cursors, slow readers apart) against a bare
 * broadcast of the same command's pipe, in turns. Both sides send binary messages to the same clients, in one process beside.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { WebSocket } from 'ws';
import { cpuUsOf, type ServerProcess, startServer } from './server-process.ts';

export interface FanoutOptions {
  readonly directory: string;
  readonly rounds: number;
  readonly readers: number;
  /* That the command writes; each reader gets all of it. */
  readonly bytes: number;
}

export interface FanoutRound {
  /* Megabytes a second, of all readers together. */
  readonly rate: number;
  /* Milliseconds of the server's processor time per gigabyte that readers got. */
  readonly cpuMs: number;
}

export interface FanoutRounds {
  readonly ours: readonly FanoutRound[];
  readonly bare: readonly FanoutRound[];
}

const line = 'The quick brown fox jumps over the lazy dog, and the log grows by another line.\n';
const megabyte = 1024 ** 2;

export async function measureFanout(options: FanoutOptions): Promise<FanoutRounds> {
  const { directory, rounds, bytes } = options;
  const path = join(directory, 'text');
  writeFileSync(path, line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes));
  const command = ['/bin/sh', '-c', 'read go; exec cat "$0"', path];
  await using ours = await startServer('./our-server.ts', [directory]);
  await using bare = await startServer('./bare-broadcast.ts', command);
  const bareRounds: FanoutRound[] = [];
  const ourRounds: FanoutRound[] = [];
  // The first of each warms up: code is compiled, kernels' buffers have grown.
  for (let round = 0; round <= rounds; round += 1) {
    bareRounds.push(await measureBare(options, bare));
    ourRounds.push(await measureOurs(options, ours, path));
  }
  return { ours: ourRounds.slice(1), bare: bareRounds.slice(1) };
}

async function measureBare(options: FanoutOptions, server: ServerProcess): Promise<FanoutRound> {
  const readers = openReaders(options, server.said['url'] ?? '', () => 0);
  await Promise.all(readers.map(({ opened }) => opened));
  return measure(options, { server, readers, go: () => readers[0]?.socket.send('go') });
}

async function measureOurs(
  options: FanoutOptions,
  server: ServerProcess,
  path: string,
): Promise<FanoutRound> {
  const { url = '', token = '' } = server.said;
  const runId = await startRun(url, token, path);
  const readers = openReaders(options, `${url}/ws/runs/${runId}`, headerBytesOf);
  await Promise.all(
    readers.map(async ({ socket, opened, attached }) => {
      await opened;
      socket.send(JSON.stringify({ type: 'auth', token }));
      socket.send(JSON.stringify({ type: 'terminal.attach', binary: true }));
      await attached;
    }),
  );
  const go = (): void =>
    readers[0]?.socket.send(JSON.stringify({ type: 'terminal.input', data: 'go\n' }));
  return measure(options, { server, readers, go });
}

interface Contest {
  readonly server: ServerProcess;
  readonly readers: readonly Reader[];
  readonly go: () => void;
}

async function measure(
  { readers: count, bytes }: FanoutOptions,
  { server: { pid }, readers, go }: Contest,
): Promise<FanoutRound> {
  const cpuBeforeUs = cpuUsOf(pid);
  const sinceMs = performance.now();
  go();
  await Promise.all(readers.map(({ complete }) => complete));
  const tookMs = performance.now() - sinceMs;
  const cpuMs = (cpuUsOf(pid) - cpuBeforeUs) / 1000;
  await Promise.all(readers.map(({ closed }) => closed));
  const total = count * bytes;
  return { rate: total / megabyte / (tookMs / 1000), cpuMs: cpuMs / (total / 1024 ** 3) };
}

interface Reader {
  readonly socket: WebSocket;
  readonly opened: Promise<void>;
  readonly attached: Promise<void>;
  readonly complete: Promise<void>;
  readonly closed: Promise<void>;
}

function openReaders(
  { readers, bytes }: FanoutOptions,
  url: string,
  headerBytes: (message: Buffer) => number,
): readonly Reader[] {
  return Array.from({ length: readers }, () => {
    const socket = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false });
    const opened = Promise.withResolvers<void>();
    const attached = Promise.withResolvers<void>();
    const complete = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    let seen = 0;
    socket.on('open', () => opened.resolve());
    socket.on('error', (error) => complete.reject(error));
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) {
        if (data.includes('terminal.attached')) attached.resolve();
        return;
      }
      seen += data.length - headerBytes(data);
      if (seen === bytes) complete.resolve();
    });
    socket.on('close', (code) => {
      complete.reject(new Error(`closed with ${code} after ${seen} of ${bytes} bytes`));
      closed.resolve();
    });
    return {
      socket,
      opened: opened.promise,
      attached: attached.promise,
      complete: complete.promise,
      closed: closed.promise,
    };
  });
}

/* docs/protocol/websocket.md. */
function headerBytesOf(message: Buffer): number {
  return 4 + (message[2] ?? 0) + (message[3] ?? 0);
}

async function startRun(url: string, token: string, path: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ command: `read go; exec cat '${path}'`, background: true }),
  });
  const result = (await answer.json()) as { readonly runId?: string };
  if (result.runId === undefined) throw new Error(JSON.stringify(result));
  return result.runId;
}
