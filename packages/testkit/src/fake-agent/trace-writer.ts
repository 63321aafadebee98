/*
 * Appends to the trace what an agent received, before anything is done about it. Each entry is one write with O_APPEND, so
 * that agents may share a file and a kill leaves whole entries. Nothing is synced: the trace outlives processes, not
 * machines.
 */
import { openSync, writeSync } from 'node:fs';
import type { InputLine } from './line-reader.ts';
import { chainStart, traceLine, type TraceEntry } from './trace-format.ts';

export interface TraceWriter {
  line(line: InputLine): void;
  ended(rest: InputLine): void;
  child(name: string, child: number): void;
  failed(why: string): void;
}

export function openTrace(path: string | undefined, played: string): TraceWriter {
  const { pid } = process;
  const file = path === undefined ? undefined : openSync(path, 'a', 0o600);
  let chain = chainStart;
  const append = (entry: TraceEntry): void => {
    if (file !== undefined) writeSync(file, `${JSON.stringify(entry)}\n`);
  };
  append({ pid, started: played });
  return {
    line: ({ offset, bytes }) => {
      if (file === undefined) return;
      const line = traceLine(chain, offset, bytes);
      chain = line.chain;
      append({ pid, ...line });
    },
    ended: ({ offset, bytes }) => append({ pid, ended: offset, rest: bytes.length }),
    child: (name, child) => append({ pid, child, name }),
    failed: (why) => append({ pid, failed: why }),
  };
}
