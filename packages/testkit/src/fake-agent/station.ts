/*
 * What an agent stands on: its input cut into messages and traced, its output in order, its gates, and its ways to end.
 * Scripts and the echoing agent are played on it.
 *
 * The end of the input is a signal. Whoever plays looks at it only where it would wait, so that all that was received is
 * dealt with as far as it can be, whenever the end came.
 */
import { createLineReader } from './line-reader.ts';
import { createLineWriter, type LineWriter } from './line-writer.ts';
import { passGate } from './gate-files.ts';
import { formatLine, parseReceived, type Received } from './messages.ts';
import type { TraceWriter } from './trace-writer.ts';

/** The reason of the signal at the end of the input. */
export class EndOfInput extends Error {}

export interface Station {
  readonly output: LineWriter;
  readonly trace: TraceWriter;
  readonly inputEnded: AbortSignal;
  /** Begins to read. */
  listen(onReceived: (received: Received) => void): void;
  send(message: object): Promise<void>;
  stderr(text: string): Promise<void>;
  passGate(name: string, signal: AbortSignal): Promise<void>;
  /** Until it is told to go on, the agent takes no bytes beyond those that Node has read already. */
  pauseInput(isPaused: boolean): void;
  /** After all that was said has been taken. */
  exit(code: number): Promise<never>;
  die(signal: NodeJS.Signals): Promise<never>;
}

export interface StationOptions {
  readonly trace: TraceWriter;
  readonly gates: string | undefined;
}

export function openStation({ trace, gates }: StationOptions): Station {
  const { stdin, stdout, stderr } = process;
  const output = createLineWriter(stdout);
  const complaints = createLineWriter(stderr);
  const ended = new AbortController();
  const end = (): void => ended.abort(new EndOfInput('the input has ended'));
  /* A reader that has gone is the end as well; the agent is told of it once per stream. */
  stdin.once('error', end);
  stdout.on('error', end);
  stderr.on('error', () => undefined);
  return {
    output,
    trace,
    inputEnded: ended.signal,
    listen: (onReceived) => {
      const reader = createLineReader((line) => {
        trace.line(line);
        onReceived(parseReceived(line.bytes));
      });
      stdin.on('data', (chunk: Buffer) => reader.push(chunk));
      stdin.once('end', () => {
        end();
        /* Whoever reads this in the trace may rely on it that the agent knows. */
        trace.ended(reader.rest());
      });
    },
    send: (message) => output.write(formatLine(message)),
    stderr: (text) => complaints.write(Buffer.from(`${text}\n`)),
    passGate: async (name, signal) => {
      if (gates === undefined)
        throw new Error(`there is no directory for gate "${name}": start the agent with --gates`);
      await passGate(gates, name, signal);
    },
    pauseInput: (isPaused) => void (isPaused ? stdin.pause() : stdin.resume()),
    exit: async (code) => {
      await output.write(Buffer.alloc(0));
      return process.exit(code);
    },
    die: (signal) => {
      process.kill(process.pid, signal);
      /* The signal is on its way; nothing may happen between. */
      return new Promise<never>(() => undefined);
    },
  };
}
