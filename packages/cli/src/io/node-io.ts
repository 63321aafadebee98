/*
 * The real process: descriptors 0, 1 and 2, the terminal, signals.
 *
 * process.stdin and process.stdout open handles when first looked at, so they
 * are touched only when a command reads input or needs the terminal.
 */
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Clock } from '@clawdfather/kit';
import { createFdSink } from './fd-sink.ts';
import type { Io, LocalTerminal, Source } from './io.ts';
import { openLineEnd } from './line-end.ts';
import { hasControllingTerminal, isForegroundJob, readSelfStat } from './job-control.ts';
import { readTerminal, type TerminalInputDeps } from './terminal-input.ts';

/* What a terminal that does not know its size is taken for. */
const fallbackSize = { cols: 80, rows: 24 };

export function createNodeIo(clock: Clock): Io {
  const isInputTerminal = isatty(0);
  const isOutputTerminal = isatty(1);
  const hadTerminal = isInputTerminal && hasControllingTerminal();
  return {
    stdin: isInputTerminal ? createTerminalStdin(clock, onProcessEnd) : createStdin(),
    stdout: createFdSink({ fd: 1, isTerminal: isOutputTerminal, clock }),
    stderr: createFdSink({ fd: 2, isTerminal: isatty(2), clock }),
    terminal: isInputTerminal && isOutputTerminal ? createLocalTerminal() : undefined,
    signals: {
      on: (name, handler) => listen(name, handler),
      stopSelf: () => process.kill(process.pid, 'SIGSTOP'),
      endSelf: () => process.kill(process.pid, 'SIGKILL'),
    },
    columns: () => (isOutputTerminal ? process.stdout.columns || fallbackSize.cols : undefined),
    isTerminalLost: () => hadTerminal && !hasControllingTerminal(),
    onProcessEnd,
  };
}

function createTerminalStdin(clock: Clock, onEnd: Io['onProcessEnd']): Source {
  const isInFront = (): boolean => isForegroundJob(readSelfStat());
  const onContinue = (handler: () => void): Disposable => listen('SIGCONT', handler);
  return {
    isTerminal: true,
    read: async function* (signal, { lineEnd } = {}) {
      using stack = new DisposableStack();
      const deps: TerminalInputDeps = {
        // Only now: we are in front for the first time.
        open: () => {
          const parts = { isForegroundJob: isInFront, onContinue, onProcessEnd: onEnd };
          if (lineEnd !== undefined) stack.use(openLineEnd(lineEnd, parts));
          return process.stdin;
        },
        isForegroundJob: isInFront,
        onContinue,
        clock,
      };
      yield* readTerminal(deps, signal);
    },
  };
}

function onProcessEnd(work: () => void): Disposable {
  process.on('exit', work);
  return { [Symbol.dispose]: () => void process.off('exit', work) };
}

function createStdin(): Source {
  return {
    isTerminal: false,
    read: async function* (signal) {
      if (signal.aborted) return;
      const stream = process.stdin;
      // Destroying it lets the event loop end.
      const stop = (): void => void stream.destroy();
      signal.addEventListener('abort', stop, { once: true });
      try {
        for await (const chunk of stream) yield chunk as Uint8Array;
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        signal.removeEventListener('abort', stop);
        stream.destroy();
      }
    },
  };
}

function createLocalTerminal(): LocalTerminal {
  const size = () => ({
    cols: process.stdout.columns || fallbackSize.cols,
    rows: process.stdout.rows || fallbackSize.rows,
  });
  return {
    size,
    onResize: (handler) => {
      const onResize = (): void => handler(size());
      process.stdout.on('resize', onResize);
      return { [Symbol.dispose]: () => void process.stdout.off('resize', onResize) };
    },
    setRaw: (isRaw) => {
      // After the terminal is gone there is nothing to restore.
      if (!process.stdin.destroyed) process.stdin.setRawMode(isRaw);
    },
    writeNow: (text) => {
      try {
        writeSync(1, text);
      } catch {
        // The terminal is gone, and with it whatever state it was in.
      }
    },
  };
}

function listen(name: NodeJS.Signals, handler: () => void): Disposable {
  process.on(name, handler);
  return { [Symbol.dispose]: () => void process.off(name, handler) };
}
