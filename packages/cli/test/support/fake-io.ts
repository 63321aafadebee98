/*
 * The process around a command, in memory: what it wrote, what it is sent.
 */
import type { Io, LocalTerminal, TerminalSize } from '../../src/io/io.ts';

export interface FakeIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
  /* Sends a signal to the handlers that listen. */
  readonly raise: (name: NodeJS.Signals) => void;
  readonly stops: () => number;
}

export interface FakeIoOptions {
  readonly input?: AsyncIterable<Uint8Array>;
  readonly isTerminal?: boolean;
  readonly terminal?: LocalTerminal;
  readonly columns?: number;
  readonly isTerminalLost?: () => boolean;
  /* Thrown by writes to stdout. */
  readonly stdoutError?: () => Error | undefined;
}

export function createFakeIo(options: FakeIoOptions = {}): FakeIo {
  const written = { out: [] as Uint8Array[], err: [] as Uint8Array[] };
  const handlers = new Map<NodeJS.Signals, Set<() => void>>();
  let stops = 0;
  const sink = (target: Uint8Array[], error?: () => Error | undefined) => ({
    isTerminal: options.isTerminal ?? false,
    write: async (data: string | Uint8Array) => {
      const failure = error?.();
      if (failure !== undefined) throw failure;
      target.push(Buffer.from(data));
    },
  });
  return {
    stdin: {
      isTerminal: options.isTerminal ?? false,
      read: () => options.input ?? nothing(),
    },
    stdout: sink(written.out, options.stdoutError),
    stderr: sink(written.err),
    terminal: options.terminal,
    signals: {
      on: (name, handler) => {
        const set = handlers.get(name) ?? new Set();
        handlers.set(name, set.add(handler));
        return { [Symbol.dispose]: () => void set.delete(handler) };
      },
      stopSelf: () => {
        stops += 1;
      },
      endSelf: () => {
        throw new Error('the process would have ended');
      },
    },
    columns: () => options.columns,
    isTerminalLost: options.isTerminalLost ?? (() => false),
    onProcessEnd: () => ({ [Symbol.dispose]: () => {} }),
    out: () => Buffer.concat(written.out).toString(),
    err: () => Buffer.concat(written.err).toString(),
    raise: (name) => {
      for (const handler of handlers.get(name) ?? []) handler();
    },
    stops: () => stops,
  };
}

export function createFakeTerminal(size: TerminalSize): LocalTerminal & { calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    size: () => size,
    onResize: () => ({ [Symbol.dispose]: () => {} }),
    setRaw: (isRaw) => void calls.push(isRaw ? 'raw' : 'cooked'),
    writeNow: (text) => void calls.push(JSON.stringify(text)),
  };
}

async function* nothing(): AsyncIterable<Uint8Array> {}
