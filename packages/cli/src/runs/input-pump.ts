/*
 * Our stdin into the run, byte for byte, at the pace the run takes it, with the
 * end of input passed on as a half-close.
 *
 * A terminal that is lost looks like an end of input. It is not one: the run
 * must not see it, or losing the connection would end every `cat`.
 */
import type { ManagedRun } from '@clawdfather/supervisor';
import type { Io } from '../io/io.ts';

export interface InputPumpOptions {
  readonly run: Pick<ManagedRun, 'write' | 'end'>;
  readonly io: Pick<Io, 'stdin' | 'isForegroundJob' | 'isTerminalLost'>;
  readonly signal: AbortSignal;
}

/* Resolves when there is nothing more to pump, for whatever reason; never rejects. */
export async function pumpInput(options: InputPumpOptions): Promise<void> {
  const { run, io, signal } = options;
  if (io.stdin.isTerminal && !io.isForegroundJob()) return;
  try {
    for await (const chunk of io.stdin.read(signal)) await run.write(chunk);
    if (signal.aborted || (io.stdin.isTerminal && io.isTerminalLost())) return;
    await run.end();
  } catch {
    // Either our input broke off, or the run closed its own: it goes on without input, as in any
    // pipeline. Its end and its cause are reported by whoever waits for it.
  }
}
