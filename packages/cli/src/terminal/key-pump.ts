/*
 * Keys of the local terminal into the run, with an eye on the detach key.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import type { ManagedRun } from '@clawdfather/supervisor';
import type { Io } from '../io/io.ts';
import { createDetachKey, detachPairMs } from './detach-key.ts';

/* Why the local terminal and the run parted. */
export type SessionEnd = 'run-ended' | 'detached' | 'terminal-lost';

export interface KeyPumpOptions {
  readonly run: Pick<ManagedRun, 'write'>;
  readonly io: Pick<Io, 'stdin'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /* The setting. */
  readonly detachKey: string;
}

/* Settles when the person detaches or the terminal is gone; a run's end is not its business. */
export async function pumpKeys(options: KeyPumpOptions): Promise<SessionEnd> {
  const { run, io, clock, signal } = options;
  const detachKey = createDetachKey(options.detachKey);
  let timer: Timer | undefined;
  /* One after the other, so that a released key cannot overtake. */
  let sending: Promise<void> = Promise.resolve();
  const send = (bytes: Uint8Array): Promise<void> => {
    // A run that has closed its input ignores keys; that it ended is noticed elsewhere.
    if (bytes.length > 0) sending = sending.then(() => run.write(bytes)).catch(() => {});
    return sending;
  };
  try {
    for await (const chunk of io.stdin.read(signal)) {
      timer?.cancel();
      const step = detachKey.push(chunk);
      await send(step.pass);
      if (step.isDetach) return 'detached';
      if (step.isHolding) {
        timer = clock.timer(detachPairMs, () => void send(detachKey.release()));
      }
    }
  } catch {
    // EIO: the terminal went away under us.
  } finally {
    timer?.cancel();
  }
  return signal.aborted ? 'run-ended' : 'terminal-lost';
}
