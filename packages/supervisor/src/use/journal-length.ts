/*
 * How far a run's journal reaches, in bytes. Its growth is the rate of output.
 *
 * The last segment's name says where it begins, so its size is all that has to be asked for.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/* `j-` and the position in hex: docs/protocol/journal.md. */
const segmentPattern = /^j-([0-9a-f]{16})$/;

/* Undefined when there is no journal yet, or none any more. */
export function readJournalLength(runDir: string): number | undefined {
  try {
    let last = '';
    for (const name of readdirSync(runDir)) {
      if (name > last && segmentPattern.test(name)) last = name;
    }
    if (last === '') return undefined;
    return Number.parseInt(last.slice('j-'.length), 16) + statSync(join(runDir, last)).size;
  } catch {
    // Removed while we looked.
    return undefined;
  }
}
