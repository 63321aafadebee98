/*
 * `--tail N`: keeps the events that hold the last N lines, and cuts the first
 * of them. Memory is bounded by what those lines are, plus one event.
 */
import type { OutputEvent } from '@clawdfather/supervisor';

const newline = 0x0a;

export interface TailLines {
  push(event: OutputEvent): void;
  /* What is to be shown, oldest first. */
  take(): OutputEvent[];
}

export function createTailLines(linesMax: number): TailLines {
  let kept: OutputEvent[] = [];
  let newlines = 0;
  return {
    push: (event) => {
      // A copy: what is kept must not hold the reader's whole chunk, nor rely on it.
      kept.push(
        event.kind === 'output' ? { ...event, bytes: Uint8Array.from(event.bytes) } : event,
      );
      newlines += countNewlines(event);
      // One newline more than asked for, as the last line may be unfinished.
      for (;;) {
        const first = kept[0];
        if (first === undefined) break;
        const rest = newlines - countNewlines(first);
        if (rest <= linesMax || kept.length === 1) break;
        kept.shift();
        newlines = rest;
      }
    },
    take: () => {
      const events = cutFront(kept, linesMax);
      kept = [];
      newlines = 0;
      return events;
    },
  };
}

function countNewlines(event: OutputEvent): number {
  if (event.kind !== 'output') return 0;
  let count = 0;
  for (const byte of event.bytes) if (byte === newline) count += 1;
  return count;
}

/* Walks back from the end until enough line starts are found. */
function cutFront(events: readonly OutputEvent[], linesMax: number): OutputEvent[] {
  if (linesMax === 0) return [];
  let starts = 0;
  let isLastByte = true;
  const result: OutputEvent[] = [];
  for (const event of events.toReversed()) {
    if (event.kind !== 'output') {
      result.unshift(event);
      continue;
    }
    for (let at = event.bytes.length - 1; at >= 0; at -= 1) {
      if (event.bytes[at] === newline && !isLastByte) {
        starts += 1;
        if (starts === linesMax) {
          if (at + 1 < event.bytes.length) {
            result.unshift({ ...event, bytes: event.bytes.subarray(at + 1) });
          }
          return result;
        }
      }
      isLastByte = false;
    }
    result.unshift(event);
  }
  return result;
}
