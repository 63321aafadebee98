/*
 * Output shown while it comes, for a source that does not wait for us. What a slow
 * reader has not taken piles up only so far; beyond that it is counted and left out,
 * and where it can be read is said in the end.
 */
import type { Sink } from '../io/io.ts';

export interface BoundedWriter {
  write(text: string): void;
  /* Resolves when all is out, to how many characters were left out; rejects with the first failure. */
  close(): Promise<number>;
}

/* Some screens of text; a pipe that is read at all takes it in no time. */
const waitingCharactersMax = 4 * 1024 * 1024;

/* `onFailure`: nobody reads any more, so there is no use in going on. */
export function createBoundedWriter(sink: Sink, onFailure: () => void): BoundedWriter {
  let waiting = 0;
  let skipped = 0;
  let last: Promise<void> = Promise.resolve();
  return {
    write: (text) => {
      if (waiting + text.length > waitingCharactersMax) {
        skipped += text.length;
        return;
      }
      waiting += text.length;
      last = Promise.all([last, sink.write(text)]).then(() => {
        waiting -= text.length;
      });
      last.catch(onFailure);
    },
    close: async () => {
      await last;
      return skipped;
    },
  };
}
