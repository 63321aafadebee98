/*
 * Our stdin into the run, byte for byte, at the pace the run takes it, with the
 * end of input passed on as a half-close.
 *
 * A terminal that is lost looks like an end of input. It is not one: the run
 * must not see it, or losing the connection would end every `cat`. Other input
 * that cannot be read has ended: nohup leaves one that can only be written, and
 * a run that waits for it would wait for ever.
 */
import type { ManagedRun } from '@clawdfather/supervisor';
import type { Io } from '../io/io.ts';

export interface InputPumpOptions {
  readonly run: Pick<ManagedRun, 'write' | 'end'>;
  readonly io: Pick<Io, 'stdin' | 'isTerminalLost'>;
  readonly signal: AbortSignal;
}

/* Resolves when there is nothing more to pump, for whatever reason; never rejects. */
export async function pumpInput(options: InputPumpOptions): Promise<void> {
  const { run, io, signal } = options;
  try {
    const { stdin } = io;
    const chunks = stdin.isTerminal ? stdin.read(signal) : untilBroken(stdin.read(signal));
    for await (const chunk of chunks) await run.write(chunk);
    if (signal.aborted || (io.stdin.isTerminal && io.isTerminalLost())) return;
    await run.end();
  } catch {
    // Either our terminal broke off, or the run closed its input: it goes on without, as in any
    // pipeline. Its end and its cause are reported by whoever waits for it.
  }
}

async function* untilBroken(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* source;
  } catch {
    // A directory, a descriptor for writing only: there is nothing to read, now or later.
  }
}
