/*
 * Keys of the local terminal into the run, with an eye on the detach key.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import { createDetachKey, detachPairMs } from './detach-key.ts';

/* Why no more keys come. `ended`: the input has an end, as after Ctrl-D at the beginning of a line. */
export type KeysEnd = 'stopped' | 'detached' | 'ended' | 'terminal-lost';

export interface KeyPumpOptions {
  readonly run: { readonly write: (bytes: Uint8Array) => Promise<void> };
  /* What the terminal hands over. */
  readonly keys: AsyncIterable<Uint8Array>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /* The setting. */
  readonly detachKey: string;
}

/* Settles when the person detaches, the input ends or the terminal is gone; a run's end is not its business. */
export async function pumpKeys(options: KeyPumpOptions): Promise<KeysEnd> {
  const { run, keys, clock, signal } = options;
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
    for await (const chunk of keys) {
      timer?.cancel();
      const step = detachKey.push(chunk);
      await send(step.pass);
      if (step.isDetach) return 'detached';
      if (step.isHolding) {
        timer = clock.timer(detachPairMs, () => void send(detachKey.release()));
      }
    }
    return signal.aborted ? 'stopped' : 'ended';
  } catch {
    // EIO: the terminal went away under us.
    return signal.aborted ? 'stopped' : 'terminal-lost';
  } finally {
    timer?.cancel();
  }
}
