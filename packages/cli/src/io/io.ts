/*
 * What a command sees of the process around it. The real one is built in
 * node-io.ts; tests hand in their own.
 */
import { hasErrno } from '@clawdfather/kit';
import type { TerminalSize } from '@clawdfather/tools/terminal';

export interface Sink {
  readonly isTerminal: boolean;
  /* Resolves when the bytes are out; rejects when nobody reads any more (see `isReaderGone`). */
  write(data: string | Uint8Array): Promise<void>;
}

export interface Source {
  readonly isTerminal: boolean;
  /*
   * Bytes as they come, until the end or the abort. May be called once. A terminal is read only in front of it, and hands over
   * whole lines; with `lineEnd`, a key as stty writes it, that key ends a line too.
   */
  read(signal: AbortSignal, options?: { readonly lineEnd?: string }): AsyncIterable<Uint8Array>;
}

export type { TerminalSize };

/* The terminal in front of us; there is one only when stdin and stdout both are terminals. */
export interface LocalTerminal {
  size(): TerminalSize;
  onResize(handler: (size: TerminalSize) => void): Disposable;
  setRaw(isRaw: boolean): void;
  /* For the last words on the way down, when nothing asynchronous runs any more. */
  writeNow(text: string): void;
}

export interface Signals {
  on(name: NodeJS.Signals, handler: () => void): Disposable;
  /* Stops this very process, as Ctrl-Z does; returns when it is continued. */
  stopSelf(): void;
  /* Ends this very process at once, whatever it still holds. */
  endSelf(): void;
}

export interface Io {
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly terminal: LocalTerminal | undefined;
  readonly signals: Signals;
  /* Width for tables; undefined when stdout is no terminal. */
  columns(): number | undefined;
  /* True when the session has lost its terminal since the start. */
  isTerminalLost(): boolean;
  /* Runs when the process ends for whatever reason but SIGKILL. */
  onProcessEnd(work: () => void): Disposable;
}

/* The other end of stdout or stderr is closed: a pager that quit, a terminal that is gone. */
export function isReaderGone(error: unknown): boolean {
  return hasErrno(error, 'EPIPE', 'EIO', 'ECONNRESET');
}
