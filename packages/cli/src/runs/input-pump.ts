/*
 * Our stdin into the run, byte for byte, at the pace the run takes it, with the
 * end of input passed on as a half-close.
 *
 * A terminal that is lost looks like an end of input. It is not one: the run
 * must not see it, or losing the connection would end every `cat`. Other input
 * that cannot be read has ended: nohup leaves one that can only be written, and
 * a run that waits for it would wait for ever.
 */
import type { Clock } from '@clawdfather/kit';
import type { Io } from '../io/io.ts';
import type { RunHandle } from '../place/place.ts';
import { detachLineEnd } from '../terminal/detach-key.ts';
import { pumpKeys } from '../terminal/key-pump.ts';

export interface InputPumpOptions {
  readonly run: Pick<RunHandle, 'write' | 'end'>;
  readonly io: Pick<Io, 'stdin' | 'isTerminalLost'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /* The setting. It counts only on a terminal: bytes of a file are not keys. */
  readonly detachKey: string;
  readonly onDetach: () => void;
}

/* Resolves when there is nothing more to pump, for whatever reason; never rejects. */
export async function pumpInput(options: InputPumpOptions): Promise<void> {
  const { run, io, signal } = options;
  try {
    if (io.stdin.isTerminal) return await pumpTerminal(options);
    for await (const chunk of untilBroken(io.stdin.read(signal))) await run.write(chunk);
    if (!signal.aborted) await run.end();
  } catch {
    // Either our terminal broke off, or the run closed its input: it goes on without, as in any
    // pipeline. Its end and its cause are reported by whoever waits for it.
  }
}

async function pumpTerminal({ run, io, clock, signal, detachKey, onDetach }: InputPumpOptions) {
  const lineEnd = detachLineEnd(detachKey);
  const keys = io.stdin.read(signal, lineEnd === undefined ? {} : { lineEnd });
  const end = await pumpKeys({ run, keys, clock, signal, detachKey });
  if (end === 'detached') onDetach();
  else if (end === 'ended' && !io.isTerminalLost()) await run.end();
}

async function* untilBroken(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* source;
  } catch {
    // A directory, a descriptor for writing only: there is nothing to read, now or later.
  }
}
