/*
 * The last line that an agent wrote to its standard error: why it ended is mostly said there. Only as far as this gateway has read it; all of
 * it is among the events of the thread.
 */
import type { WireReader } from '@clawdfather/agents';

/* The end of a line, of which the message of a turn keeps less. */
const bytesMax = 4_096;

export interface LastWords {
  add(bytes: Uint8Array): void;
  last(): string | undefined;
}

export function createLastWords(): LastWords {
  let tail = Buffer.alloc(0);
  return {
    add: (bytes) => {
      const whole = Buffer.concat([tail, bytes.subarray(-bytesMax)]);
      tail = Buffer.from(whole.subarray(-bytesMax));
    },
    last: () =>
      tail
        .toString('utf8')
        .split('\n')
        .findLast((line) => line.trim() !== ''),
  };
}

/* A reader that also remembers. */
export function heardBy(words: LastWords, reader: WireReader): WireReader {
  return {
    push: (event) => {
      if (event.kind === 'output' && event.stream === 'stderr') words.add(event.bytes);
      return reader.push(event);
    },
    end: () => reader.end(),
  };
}
