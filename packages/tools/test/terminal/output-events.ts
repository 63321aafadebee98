/*
 * Pieces of output for tests, as a journal would tell them.
 */
import type { Cursor, OutputEvent } from '@clawdfather/supervisor';

export const cursor = (text: string): Cursor => text as Cursor;

export function outputEvent(
  data: string | Uint8Array,
  at = 0,
): Extract<OutputEvent, { kind: 'output' }> {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  return { kind: 'output', stream: 'stdout', bytes, atMs: 0, cursor: cursor(`${at}.0`) };
}

export const resizeEvent = (cols: number, rows: number): OutputEvent => ({
  kind: 'resize',
  cols,
  rows,
  cursor: cursor('0.0'),
});

export async function* stream(events: readonly OutputEvent[]): AsyncIterable<OutputEvent> {
  yield* events;
}
