/*
 * `clf mcp` with the protocol's own client, on a state directory of its own.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { createEnding, createMcpCalls, type Ending, type McpCalls } from '@clawdfather/testkit';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type CliRig, createCliRig, launcherPath } from './cli-process.ts';

export const eras = ['legacy', 'modern'] as const;
export type Era = (typeof eras)[number];

/* Everything may run: what is tested is not the policy. */
export const openPolicy = ['--security', 'full', '--ask', 'off'];

export interface Agent extends McpCalls {
  readonly client: Client;
  readonly pid: number;
}

export interface AgentOptions {
  readonly era?: Era | 'auto';
  /* Of those that begin with a handshake: only this one is spoken. */
  readonly revision?: string;
  readonly flags?: readonly string[];
  readonly name?: string;
  /* Put before the command: setpriv, strace with their arguments. */
  readonly wrap?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface McpRig {
  readonly cli: CliRig;
  /* The working tree of agents, unless they say otherwise. What they start sees none of our own directories. */
  readonly project: string;
  readonly connect: (options?: AgentOptions) => Promise<Agent>;
  readonly createEnding: (code: number) => Ending;
}

export function createMcpRig(test: TestContext, cli = createCliRig(test)): McpRig {
  const project = mkdtempSync(join(tmpdir(), 'clf-project-'));
  test.after(() => rmSync(project, { recursive: true, force: true }));
  return {
    cli,
    project,
    connect: (options = {}) => connect(test, cli, { cwd: project, ...options }),
    createEnding: (code) => createEnding(project, code),
  };
}

async function connect(test: TestContext, cli: CliRig, options: AgentOptions): Promise<Agent> {
  const { revision, flags = openPolicy, name = 'test-agent', wrap = [], cwd } = options;
  const [program = '', ...args] = [...wrap, process.execPath, launcherPath, 'mcp', ...flags];
  const era = options.era ?? (revision === undefined ? 'modern' : 'legacy');
  const transport = new StdioClientTransport({
    command: program,
    args,
    env: { ...cli.env, ...options.env },
    ...(cwd === undefined ? {} : { cwd }),
    stderr: 'ignore',
  });
  const mode = era === 'modern' ? { pin: '2026-07-28' } : era;
  const client = new Client(
    { name, version: '1' },
    {
      versionNegotiation: { mode },
      ...(revision === undefined ? {} : { supportedProtocolVersions: [revision] }),
    },
  );
  test.after(() => client.close());
  await client.connect(transport);
  // The client checks results against the schemas that it has seen.
  await client.listTools();
  return { client, pid: transport.pid ?? 0, ...createMcpCalls(client) };
}

export interface BareServer {
  readonly pid: number;
  send(message: object): void;
  closeInput(): void;
  closeOutput(): void;
  signal(name: NodeJS.Signals): void;
  /* Lines of stdout until now. */
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  /* Resolves when stdout has an answer with this id. */
  answer(id: number): Promise<Record<string, unknown>>;
  /* Resolves with the first line of stdout that contains the text. */
  saw(text: string): Promise<Record<string, unknown>>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/* Without a client, to see every line. */
export function startBare(test: TestContext, cli: CliRig, flags: readonly string[]): BareServer {
  const child = spawn(process.execPath, [launcherPath, 'mcp', ...flags], {
    env: { ...cli.env, CLAWDFATHER_LOG: 'debug' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  test.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  child.stdin.on('error', () => {});
  const stdout: string[] = [];
  const stderr: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    stdout.push(line);
    for (const wake of waiting) wake();
  });
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line));
  const untilLine = async (isIt: (line: string) => boolean): Promise<Record<string, unknown>> => {
    for (;;) {
      const found = stdout.find(isIt);
      if (found !== undefined) return JSON.parse(found) as Record<string, unknown>;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
    }
  };
  return {
    pid: child.pid ?? 0,
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    closeInput: () => void child.stdin.end(),
    closeOutput: () => void child.stdout.destroy(),
    signal: (name) => void child.kill(name),
    stdout,
    stderr,
    answer: (id) => untilLine((line) => (JSON.parse(line) as { id?: unknown }).id === id),
    saw: (text) => untilLine((line) => line.includes(text)),
    ended,
  };
}

/* Nothing of it runs: a zombie that nobody has buried yet counts as dead. */
export function isGone(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}
