/*
 * Where log lines go: a descriptor that is written to without ever waiting for it.
 *
 * A pipe whose reader is stuck, a terminal held by Ctrl-S or a full disk must not hold up the gateway, and a reader that is
 * gone must not end it. Node's own standard output waits for terminals and ends with an error when the reader goes, so the
 * descriptor is opened once more through /proc, as a description of its own that does not block, which leaves the flags of
 * the shared one alone. A socket cannot be opened a second time; for it, Node's stream does not wait.
 *
 * A file does not block, and is written through the descriptor as it was given. A description of its own would have a position
 * of its own: after `> FILE 2>&1`, what others write through the shared one would overwrite our lines.
 *
 * Lines wait in memory up to a limit. Beyond it new ones are dropped and counted; the count is told as soon as there is room.
 */
import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Clock, Timer } from '@clawdfather/kit';

export interface LogOutput {
  write(line: string): void;
  /* Waits for what is left, a second at most. */
  close(): Promise<void>;
}

export interface LogOutputDeps {
  readonly clock: Clock;
  /* Makes the line that tells of dropped ones. */
  readonly formatDropped: (lines: number) => string;
}

/* Some seconds of a very busy gateway; a reader that is further behind is not coming back soon. */
const waitingCharactersMax = 4_194_304;
/* As much as a pipe usually takes at once. */
const chunkCharactersMax = 65_536;
/* A reader that is only slower than us gets the next chunk soon; one that is stuck is noticed this much later. */
const retryMsMin = 1;
const retryMsMax = 100;
/* Closing must not hang on a reader that is stuck. */
const closeMsMax = 1_000;

/* What both kinds share: the queue, its limit and the count of what did not fit. */
interface Queue {
  add(line: string): boolean;
  take(): string;
  putBack(text: string): void;
  drop(text: string): void;
  isEmpty(): boolean;
  /* Beside the count of what was dropped. */
  hasLines(): boolean;
}

function createQueue(formatDropped: (lines: number) => string): Queue {
  let waiting = '';
  let dropped = 0;
  return {
    add: (line) => {
      if (waiting.length + line.length > waitingCharactersMax) {
        dropped += 1;
        return false;
      }
      waiting += line;
      return true;
    },
    take: () => {
      // Told when the last line before the hole has gone out: where the hole is.
      if (waiting === '' && dropped > 0) {
        waiting = formatDropped(dropped);
        dropped = 0;
      }
      const chunk = waiting.slice(0, endOfChunk(waiting));
      waiting = waiting.slice(chunk.length);
      return chunk;
    },
    putBack: (text) => {
      waiting = text + waiting;
    },
    drop: (text) => {
      dropped += text.split('\n').length - 1;
    },
    hasLines: () => waiting !== '',
    isEmpty: () => waiting === '' && dropped === 0,
  };
}

/* Whole lines, so that what others write into the same file comes between two of them. */
function endOfChunk(waiting: string): number {
  if (waiting.length <= chunkCharactersMax) return waiting.length;
  const afterLine = waiting.lastIndexOf('\n', chunkCharactersMax - 1) + 1;
  return afterLine === 0 ? chunkCharactersMax : afterLine;
}

/* `isOurs`: closed in the end. */
interface Descriptor {
  readonly fd: number;
  readonly isOurs: boolean;
}

function openDescriptorOutput({ fd, isOurs }: Descriptor, deps: LogOutputDeps): LogOutput {
  const { clock, formatDropped } = deps;
  const queue = createQueue(formatDropped);
  let state: 'idle' | 'writing' | 'waiting' | 'gone' = 'idle';
  let timer: Timer | undefined;
  let retryMs = retryMsMin;
  let onIdle = (): void => {};

  const settle = (rest: Buffer, error: NodeJS.ErrnoException | null, written: number): void => {
    // Closed meanwhile.
    if (state !== 'writing') return;
    if (written > 0) retryMs = retryMsMin;
    if (error === null && written < rest.length) return send(rest.subarray(written));
    if (error?.code === 'EAGAIN') {
      queue.putBack(rest.toString());
      state = 'waiting';
      retryMs = Math.min(2 * retryMs, retryMsMax);
      timer = clock.timer(retryMs, () => {
        state = 'idle';
        pump();
      });
      return timer.unref();
    }
    if (error?.code === 'EPIPE') {
      state = 'gone';
      return onIdle();
    }
    if (error !== null) {
      // A full disk, say: these lines are lost, the next may not be. Telling so waits for them.
      queue.drop(rest.toString());
      state = 'idle';
      return queue.hasLines() ? pump() : onIdle();
    }
    state = 'idle';
    pump();
  };

  const send = (bytes: Buffer): void => {
    write(fd, bytes, 0, bytes.length, null, (error, written) => settle(bytes, error, written));
  };

  const pump = (): void => {
    if (state !== 'idle') return;
    if (queue.isEmpty()) return onIdle();
    state = 'writing';
    send(Buffer.from(queue.take()));
  };

  /* The process ends without having closed: what fits without waiting still goes out. */
  const flush = (): void => {
    if (state === 'gone') return;
    try {
      while (!queue.isEmpty()) writeSync(fd, queue.take());
    } catch {
      // The process ends, so the failure cannot be reported.
    }
  };
  process.once('exit', flush);

  return {
    write: (line) => {
      if (state !== 'gone' && queue.add(line)) pump();
    },
    close: async () => {
      process.off('exit', flush);
      if (state !== 'gone' && (state !== 'idle' || !queue.isEmpty())) {
        const { promise, resolve } = Promise.withResolvers<void>();
        onIdle = resolve;
        const limit = clock.timer(closeMsMax, resolve);
        await promise;
        limit.cancel();
      }
      timer?.cancel();
      state = 'gone';
      if (isOurs) closeSync(fd);
    },
  };
}

export function createStreamOutput(stream: Writable, deps: LogOutputDeps): LogOutput {
  const { clock, formatDropped } = deps;
  let isGone = false;
  let dropped = 0;
  const onError = (): void => {
    isGone = true;
  };
  stream.on('error', onError);
  return {
    write: (line) => {
      if (isGone || stream.destroyed) return;
      if (stream.writableLength + line.length > waitingCharactersMax) {
        dropped += 1;
        return;
      }
      if (dropped > 0) {
        stream.write(formatDropped(dropped));
        dropped = 0;
      }
      stream.write(line);
    },
    // The stream belongs to the caller and stays open. The listener stays too, or a late error would end the process.
    close: async () => {
      if (isGone || stream.destroyed || stream.writableLength === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const limit = clock.timer(closeMsMax, resolve);
      stream.write('', () => resolve());
      await promise;
      limit.cancel();
    },
  };
}

/* Standard output or standard error, or whatever else is behind a descriptor. */
export function openOutput(
  { fd, stream }: { readonly fd: number; readonly stream: Writable },
  deps: LogOutputDeps,
): LogOutput {
  const own = descriptorFor(fd);
  return own === undefined ? createStreamOutput(stream, deps) : openDescriptorOutput(own, deps);
}

function descriptorFor(fd: number): Descriptor | undefined {
  const { O_WRONLY, O_APPEND, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    const kind = fstatSync(fd);
    if (kind.isSocket()) return undefined;
    if (kind.isFile()) return { fd, isOurs: false };
    const flags = O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY;
    return { fd: openSync(`/proc/self/fd/${fd}`, flags), isOurs: true };
  } catch {
    // No /proc, a descriptor of another user's, or a pipe without a reader: Node's stream will do.
    return undefined;
  }
}
