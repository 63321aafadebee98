/*
 * The trace of an agent: a file of JSON lines, appended to by every agent that is given it. An agent writes `started` first
 * and then a `line` for each line it received, in order, with its place in the input and a hash that covers all lines up
 * to it. Two inputs are the same if their last hashes are.
 */
import { createHash } from 'node:crypto';

export type TraceEntry =
  | { readonly pid: number; readonly started: string }
  | ({ readonly pid: number } & TracedLine)
  /** The input ended; `rest` bytes of it came after the last newline. */
  | { readonly pid: number; readonly ended: number; readonly rest: number }
  | { readonly pid: number; readonly child: number; readonly name: string }
  | { readonly pid: number; readonly failed: string };

export interface TracedLine {
  readonly offset: number;
  /** In bytes, with the newline. */
  readonly length: number;
  /** SHA-256 over the chain before it and the bytes of the line. */
  readonly chain: string;
  /** The beginning of the line, for people and for looking messages up. */
  readonly text: string;
}

/** Where a chain begins. */
export const chainStart = '';

/* Long enough for every message of a test but the deliberately huge ones. */
const textCharsMax = 64 * 1024;

export function nextChain(chain: string, line: Uint8Array): string {
  return createHash('sha256').update(chain).update(line).digest('hex');
}

export function traceLine(before: string, offset: number, line: Uint8Array): TracedLine {
  const text = Buffer.from(line.buffer, line.byteOffset, Math.min(line.length, textCharsMax));
  return {
    offset,
    length: line.length,
    chain: nextChain(before, line),
    text: text.toString('utf8').trimEnd(),
  };
}
