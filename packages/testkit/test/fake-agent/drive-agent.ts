/*
 * Starts a fake agent over pipes and plays its client: sends lines, waits for messages or for bytes, and learns how it
 * ended. A test that ends before its agent takes the agent along.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fakeAgentCommand, openGate, readTrace, writeScript } from '@clawdfather/testkit';
import type { Gate, Script, TracedRun } from '@clawdfather/testkit';
import { untilDirectory } from '../../src/fake-agent/file-event.ts';

/* Whatever JSON holds: tests look into messages of every shape. */
export type Message = ReturnType<typeof JSON.parse>;

export interface DrivenAgent {
  readonly dir: string;
  readonly pid: number;
  /** Every line that was sent, with its newline. */
  readonly sent: readonly Buffer[];
  send(message: object): void;
  sendRaw(bytes: string | Buffer): void;
  /** Sends a request and resolves with its answer; what comes before it is kept for `next`. */
  call(method: string, params?: object): Promise<Message>;
  /** The next message, whatever it is. A line that is no JSON comes as a string. */
  next(): Promise<Message>;
  /** All output up to now, once it has this many bytes. */
  bytes(count: number): Promise<Buffer>;
  stderr(pattern: RegExp): Promise<string>;
  gate(name: string): Gate;
  endInput(): void;
  /** Its exit code or signal, after the output has been read. */
  ended(): Promise<number | string>;
  /** The process has ended, whoever may still hold its output. */
  exited(): Promise<unknown>;
  isOutputOver(): boolean;
  /** All that was said and not taken by `next`. */
  rest(): readonly Message[];
  trace(): TracedRun;
  /** Resolves once the trace is like this. */
  traced(isEnough: (run: TracedRun) => boolean): Promise<void>;
}

export interface DriveOptions {
  readonly script?: Script;
  /** In front of the agent's command. */
  readonly before?: readonly string[];
  readonly sessions?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export function temporaryDirectory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'clf-agent-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function driveAgent(t: TestContext, options: DriveOptions = {}): DrivenAgent {
  const dir = temporaryDirectory(t);
  const gates = join(dir, 'gates');
  const trace = join(dir, 'trace');
  openGate(gates, 'none');
  const { script, sessions } = options;
  const command = fakeAgentCommand({
    gates,
    trace,
    ...(script === undefined ? {} : { script: writeScript(join(dir, 'script'), script) }),
    ...(sessions === undefined ? {} : { sessions }),
  });
  const [file = '', ...args] = [...(options.before ?? []), ...command];
  const child = spawn(file, args, { env: { ...process.env, ...options.env } });
  const output = gather(child.stdout);
  const complaints = gather(child.stderr);
  const closed = once(child, 'close');
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const sent: Buffer[] = [];
  let taken = 0;
  let lastId = 100;
  const sendRaw = (bytes: string | Buffer): void => void child.stdin.write(bytes);
  const send = (message: object): void => {
    const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    sent.push(line);
    sendRaw(line);
  };
  child.stdin.on('error', () => undefined);
  const untaken = (): Buffer[] => linesOf(output.all().subarray(taken));
  const kept: Message[] = [];
  const nextOnWire = async (): Promise<Message> => {
    await output.until(() => untaken().length > 0);
    const [line] = untaken();
    taken += (line as Buffer).length;
    return parse(line as Buffer);
  };
  return {
    dir,
    pid: child.pid as number,
    sent,
    send,
    sendRaw,
    call: async (method, params = {}) => {
      lastId += 1;
      const id = lastId;
      send({ id, method, params });
      for (;;) {
        const message = await nextOnWire();
        if (message.id === id && message.method === undefined) return message;
        kept.push(message);
      }
    },
    next: async () => kept.shift() ?? nextOnWire(),
    bytes: async (count) => {
      await output.until((all) => all.length >= count);
      return output.all();
    },
    stderr: async (pattern) => {
      await complaints.until((all) => pattern.test(all.toString()));
      return complaints.all().toString();
    },
    gate: (name) => openGate(gates, name),
    endInput: () => child.stdin.end(),
    ended: async () => {
      const [code, signal] = (await closed) as [number | null, string | null];
      return code ?? (signal as string);
    },
    exited: () => exited,
    isOutputOver: output.isOver,
    rest: () => [...kept, ...untaken().map(parse)],
    trace: () => readRun(trace),
    traced: (isEnough) =>
      untilDirectory(dir, () => isEnough(readRun(trace)), new AbortController().signal),
  };
}

function readRun(file: string): TracedRun {
  const runs = readTrace(file);
  assert.equal(runs.length, 1);
  return runs[0] as TracedRun;
}

function gather(stream: NodeJS.ReadableStream) {
  let chunks: Buffer[] = [];
  let isOver = false;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  const all = (): Buffer => {
    if (chunks.length > 1) chunks = [Buffer.concat(chunks)];
    return chunks[0] ?? Buffer.alloc(0);
  };
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    wake();
  });
  stream.once('end', () => {
    isOver = true;
    wake();
  });
  return {
    all,
    isOver: () => isOver,
    until: async (isEnough: (all: Buffer) => boolean): Promise<void> => {
      while (!isEnough(all())) {
        if (isOver) throw new Error(`the output is over: ${all().toString().slice(-2000)}`);
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
    },
  };
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0, end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
    lines.push(bytes.subarray(from, end + 1));
    from = end + 1;
  }
  return lines;
}

function parse(line: Buffer): Message {
  const text = line.toString().slice(0, -1);
  try {
    return JSON.parse(text);
  } catch {
    /* Noise is what the test asked for. */
    return text;
  }
}

export const handshakeCalls = [
  ['initialize', { protocolVersion: 1, clientCapabilities: {} }],
  ['session/new', { cwd: '/', mcpServers: [] }],
] as const;

export async function shakeHands(agent: DrivenAgent): Promise<string> {
  await agent.call(...handshakeCalls[0]);
  const answer = await agent.call(...handshakeCalls[1]);
  return answer.result.sessionId;
}

export function promptParams(text: string, sessionId = 'session-1'): object {
  return { sessionId, prompt: [{ type: 'text', text }] };
}

/** The text of the chunks among these messages. */
export function textOf(messages: readonly Message[]): string {
  return messages
    .filter((message) => message.params?.update?.sessionUpdate === 'agent_message_chunk')
    .map((message) => message.params.update.content.text)
    .join('');
}
