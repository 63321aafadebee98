/*
 * `--tail N`: keeps the events that hold the last N lines.
 *
 * Lines are looked for from the end, and only when much has piled up or all is
 * there: counting every newline of a long journal would cost more than reading
 * it. Memory is bounded by twice what the lines themselves take, or by
 * `pileBytes`.
 */
import type { OutputEvent } from '@clawdfather/supervisor';

const newline = 0x0a;
/* Below this, looking costs more than keeping. */
const pileBytes = 8 * 1_024 * 1_024;

export interface TailLines {
  push(event: OutputEvent): void;
  /* What is to be shown, oldest first. */
  take(): OutputEvent[];
}

export function createTailLines(linesMax: number): TailLines {
  let kept: OutputEvent[] = [];
  let bytes = 0;
  let cutAtBytes = pileBytes;
  return {
    push: (event) => {
      if (event.kind !== 'output') {
        kept.push(event);
        return;
      }
      // A copy: what is kept must not hold the reader's whole chunk, nor rely on it.
      kept.push({ ...event, bytes: Uint8Array.from(event.bytes) });
      bytes += event.bytes.length;
      if (bytes <= cutAtBytes) return;
      kept = cutFront(kept, linesMax);
      bytes = kept.reduce((sum, one) => sum + lengthOf(one), 0);
      cutAtBytes = Math.max(pileBytes, 2 * bytes);
    },
    take: () => {
      const events = cutFront(kept, linesMax);
      kept = [];
      bytes = 0;
      return events;
    },
  };
}

function lengthOf(event: OutputEvent): number {
  return event.kind === 'output' ? event.bytes.length : 0;
}

/* Walks back from the end until enough beginnings of lines are found. */
function cutFront(events: readonly OutputEvent[], linesMax: number): OutputEvent[] {
  if (linesMax === 0) return [];
  const result: OutputEvent[] = [];
  let starts = 0;
  // A newline at the very end finishes the last line and begins none.
  let isAtEnd = true;
  for (const event of events.toReversed()) {
    if (event.kind !== 'output') {
      result.push(event);
      continue;
    }
    const { bytes } = event;
    let at = bytes.length;
    if (isAtEnd && at > 0) {
      isAtEnd = false;
      if (bytes[at - 1] === newline) at -= 1;
    }
    while (starts < linesMax && at > 0) {
      at = bytes.lastIndexOf(newline, at - 1);
      if (at >= 0) starts += 1;
    }
    if (starts < linesMax) {
      result.push(event);
      continue;
    }
    if (at + 1 < bytes.length) result.push({ ...event, bytes: bytes.subarray(at + 1) });
    break;
  }
  return result.reverse();
}
