/*
 * Real clients and bare pipes for servers on stdio.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const modernRevision = '2026-07-28';
export const eras = ['legacy', 'modern'] as const;
export type Era = (typeof eras)[number];

export const scriptedServer: readonly [string, ...string[]] = [
  process.execPath,
  '--conditions=@clawdfather/source',
  fileURLToPath(new URL('fixtures/scripted-server.ts', import.meta.url)),
];

export interface ConnectOptions {
  readonly command: readonly [string, ...string[]];
  readonly era: Era;
  readonly env?: Record<string, string>;
  readonly clientName?: string;
}

export interface Connected {
  readonly client: Client;
  readonly pid: number;
  /* Resolves when the server has written a line to stderr that contains the text. */
  readonly saw: (text: string) => Promise<string>;
}

export async function connect(test: TestContext, options: ConnectOptions): Promise<Connected> {
  const [command, ...args] = options.command;
  const transport = new StdioClientTransport({
    command,
    args,
    stderr: 'pipe',
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  const seen = watchLines(transport.stderr as Readable);
  const mode = options.era === 'modern' ? { pin: modernRevision } : 'legacy';
  const client = new Client(
    { name: options.clientName ?? 'test client', version: '1' },
    { versionNegotiation: { mode } },
  );
  test.after(() => client.close());
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0, saw: seen };
}

export interface Pipes {
  readonly child: ChildProcess;
  send(line: string): void;
  /* The next line of stdout, parsed. */
  next(): Promise<Record<string, unknown>>;
  readonly saw: (text: string) => Promise<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/* A server without a client: lines in, lines out. */
export function openPipes(test: TestContext, command: readonly [string, ...string[]]): Pipes {
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  test.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    ended,
    send: (line) => void child.stdin.write(`${line}\n`),
    next: async () => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the server has closed its output');
      return JSON.parse(value) as Record<string, unknown>;
    },
    saw: watchLines(child.stderr),
  };
}

function watchLines(stream: Readable): (text: string) => Promise<string> {
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const reader = createInterface({ input: stream });
  reader.on('line', (line) => {
    lines.push(line);
    for (const wake of waiting) wake();
  });
  return async (text) => {
    for (;;) {
      const found = lines.find((line) => line.includes(text));
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
    }
  };
}
