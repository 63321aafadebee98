/*
 * What an agent says that speaks no protocol: its standard output is the answer. The same steps as of one that does (wire-reader.ts), so
 * that they are committed with the same cursor.
 *
 * A step ends where a character ends: half of one is read again after a crash, together with the rest of it.
 */
import {
  type AcceptedEvent,
  type Cursor,
  cursorInside,
  type OutputEvent,
} from '@clawdfather/supervisor';
import type { WireItem, WireReader, WireStep } from './wire-reader.ts';

/* `from`: where reading begins, an edge. */
export function createTextReader(from: Cursor): WireReader {
  let before = from;
  let half = Buffer.alloc(0);
  let lastAtMs = 0;
  // What came between the pieces of a character: it is committed with the whole of it.
  let held: WireItem[] = [];
  const step = (cursor: Cursor, item: WireItem): WireStep => {
    const items = [item, ...held];
    held = [];
    return { cursor, atMs: lastAtMs, items };
  };
  const beside = (cursor: Cursor, item: WireItem): readonly WireStep[] => {
    if (half.length === 0) return [step(cursor, item)];
    held.push(item);
    return [];
  };
  const takeOutput = (event: Extract<OutputEvent, { kind: 'output' }>): readonly WireStep[] => {
    const bytes = Buffer.concat([half, event.bytes]);
    const whole = bytes.length - halfCharacter(bytes);
    const inEvent = whole - half.length;
    half = bytes.subarray(whole);
    // All of it belongs to a character that began before.
    if (whole === 0) return [];
    const cursor = half.length === 0 ? event.cursor : cursorInside(before, event, inEvent);
    return [step(cursor, { kind: 'text', text: bytes.toString('utf8', 0, whole) })];
  };
  const take = (event: OutputEvent | AcceptedEvent): readonly WireStep[] => {
    const { cursor } = event;
    switch (event.kind) {
      case 'output': {
        if (event.stream === 'stdout') return takeOutput(event);
        const text = Buffer.from(event.bytes).toString('utf8');
        return beside(cursor, { kind: 'stderr', text, droppedBytes: 0 });
      }
      case 'accepted': {
        const { inputOffset } = event;
        return beside(cursor, { kind: 'accepted', inputOffset });
      }
      case 'gap':
      case 'damaged':
      case 'tail-lost':
        half = Buffer.alloc(0);
        return [step(cursor, { kind: 'lost', missedBytes: event.missedBytes })];
      case 'resize':
      case 'attached':
        return [];
    }
  };
  return {
    push: (event) => {
      if ('atMs' in event) lastAtMs = event.atMs;
      const steps = take(event);
      before = event.cursor;
      return steps;
    },
    end: () => {
      if (half.length === 0) return [];
      const text = half.toString('utf8');
      half = Buffer.alloc(0);
      return [step(before, { kind: 'text', text })];
    },
  };
}

/* How many bytes at the end are the beginning of a character whose rest is missing. */
function halfCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    // 10xxxxxx goes on with a character that began before.
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? back : 0;
  }
  return 0;
}
