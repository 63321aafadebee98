/*
 * How far a run's journal reaches, and how much of it is on the disk, in bytes. Its growth is the rate of output.
 *
 * The names of segments say where they begin and there are no holes between them, so the size of the last is all that has to
 * be asked for.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/* `j-` and the position in hex: docs/protocol/journal.md. */
const segmentPattern = /^j-([0-9a-f]{16})$/;

export interface JournalExtent {
  /* Of all that was ever written to it. */
  readonly lengthBytes: number;
  /* What is there: a ring drops its oldest segments (J3). */
  readonly diskBytes: number;
}

/* Undefined when there is no journal yet, or none any more. */
export function readJournalExtent(runDir: string): JournalExtent | undefined {
  try {
    // Hex digits of one length: their order is that of the numbers.
    const segments = readdirSync(runDir)
      .filter((name) => segmentPattern.test(name))
      .toSorted();
    const [first, last] = [segments[0], segments.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const lengthBytes = baseOf(last) + statSync(join(runDir, last)).size;
    return { lengthBytes, diskBytes: lengthBytes - baseOf(first) };
  } catch {
    // Removed while we looked.
    return undefined;
  }
}

function baseOf(name: string): number {
  return Number.parseInt(name.slice('j-'.length), 16);
}
