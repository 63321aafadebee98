/*
 * Reading a terminal as a job of a shell: only while we are in front.
 *
 * A background job that reads its terminal is stopped by the kernel (SIGTTIN), and
 * most commands need no input at all: `clf run -- make`, Ctrl-Z, `bg` must go on. So
 * we look before we read, and again whenever we are continued. That `fg` brought a
 * running job to the front is told to nobody; hence the pause between two looks.
 */
import { type Clock, createSignalBell, type SignalBell } from '@clawdfather/kit';

/* Unnoticed by whoever typed `fg`, and next to nothing for a job that stays in the background. */
const lookAgainMs = 500;

/* What is needed of process.stdin. */
export interface TerminalStream {
  on(name: 'data', handler: (chunk: Uint8Array) => void): unknown;
  on(name: 'end' | 'close', handler: () => void): unknown;
  on(name: 'error', handler: (error: Error) => void): unknown;
  pause(): unknown;
  resume(): unknown;
  destroy(): unknown;
}

export interface TerminalInputDeps {
  /* Called when we are in front for the first time. */
  readonly open: () => TerminalStream;
  readonly isForegroundJob: () => boolean;
  readonly onContinue: (handler: () => void) => Disposable;
  readonly clock: Clock;
}

/* Ends with the terminal's input or the abort. */
export async function* readTerminal(
  deps: TerminalInputDeps,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, undefined> {
  const bell = createSignalBell();
  using _continued = deps.onContinue(() => bell.ring());
  let input: TerminalInput | undefined;
  // Destroying it at once lets the event loop end; a paused terminal handle would keep it.
  const stop = (): void => {
    input?.stream.destroy();
    bell.ring();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    while (!signal.aborted) {
      const chunk = input?.chunks.shift();
      if (chunk !== undefined) {
        yield chunk;
      } else if (!deps.isForegroundJob()) {
        input?.stream.pause();
        await bellOrTime(bell, deps.clock);
      } else {
        input ??= listen(deps.open(), bell);
        if (input.failure !== undefined) throw input.failure;
        if (input.isEnded) return;
        input.stream.resume();
        await bell.wait();
      }
    }
  } finally {
    signal.removeEventListener('abort', stop);
    input?.stream.destroy();
  }
}

interface TerminalInput {
  readonly stream: TerminalStream;
  readonly chunks: Uint8Array[];
  isEnded: boolean;
  failure: Error | undefined;
}

function listen(stream: TerminalStream, bell: SignalBell): TerminalInput {
  const input: TerminalInput = { stream, chunks: [], isEnded: false, failure: undefined };
  stream.on('data', (chunk) => {
    input.chunks.push(chunk);
    // One at a time: whoever reads us may be waiting for the run.
    stream.pause();
    bell.ring();
  });
  const end = (): void => {
    input.isEnded = true;
    bell.ring();
  };
  stream.on('end', end);
  stream.on('close', end);
  stream.on('error', (error) => {
    input.failure = error;
    bell.ring();
  });
  return input;
}

async function bellOrTime(bell: SignalBell, clock: Clock): Promise<void> {
  const timer = clock.timer(lookAgainMs, () => bell.ring());
  try {
    await bell.wait();
  } finally {
    timer.cancel();
  }
}
