/*
 * Lines that a person types while something else goes on. Only a line that is typed while a question is open answers it: what was typed
 * before it was asked is dropped, because it was meant for something else.
 */
import type { Io } from '../io/io.ts';

export interface TypedLines extends AsyncDisposable {
  /* The next line, without blanks around it. Undefined: the input has ended, or the question is over. */
  next(signal: AbortSignal): Promise<string | undefined>;
}

/* Of a line; the rest is dropped. */
const charactersMax = 4_096;

/* Reads from now on. */
export function openTypedLines({ stdin }: Pick<Io, 'stdin'>): TypedLines {
  const stop = new AbortController();
  let isEnded = false;
  let onLine: (line: string | undefined) => void = () => {};
  const end = (): void => {
    isEnded = true;
    onLine(undefined);
  };
  // A terminal that is gone is an input that has ended.
  const reading = readLines(stdin.read(stop.signal), (line) => onLine(line)).then(end, end);
  return {
    next: async (signal) => {
      if (isEnded || signal.aborted) return undefined;
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const giveUp = (): void => resolve(undefined);
      onLine = resolve;
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        return await promise;
      } finally {
        onLine = () => {};
        signal.removeEventListener('abort', giveUp);
      }
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await reading;
    },
  };
}

async function readLines(
  chunks: AsyncIterable<Uint8Array>,
  onLine: (line: string) => void,
): Promise<void> {
  let held = '';
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    held += decoder.decode(chunk, { stream: true });
    for (let end = held.search(/[\r\n]/); end >= 0; end = held.search(/[\r\n]/)) {
      onLine(held.slice(0, end).slice(0, charactersMax).trim());
      held = held.slice(end + 1);
    }
    held = held.slice(0, charactersMax);
  }
}
