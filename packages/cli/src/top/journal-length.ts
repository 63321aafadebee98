/*
 * How far a run's journal reaches, in bytes: its growth is the rate of output.
 *
 * Two calls of stat for a run that goes on in its segment. The directory is listed
 * only when it has changed, which it does when a segment begins or is dropped.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface JournalLengths {
  /* Undefined when there is no journal (any more). */
  of(runId: string): number | undefined;
  /* Keeps what it knows of these, and of no others. */
  keepOnly(runIds: ReadonlySet<string>): void;
}

interface Known {
  readonly changedAtMs: number;
  readonly segment: string;
  /* The position at which the segment begins. */
  readonly base: number;
}

/* `j-` and the position in hex: docs/protocol/journal.md. */
const segmentPattern = /^j-([0-9a-f]{16})$/;

export function createJournalLengths(runsDir: string): JournalLengths {
  const known = new Map<string, Known>();
  const lookUp = (directory: string, changedAtMs: number): Known | undefined => {
    const last = readdirSync(directory)
      .filter((name) => segmentPattern.test(name))
      .toSorted()
      .at(-1);
    if (last === undefined) return undefined;
    const base = Number.parseInt(last.slice('j-'.length), 16);
    return { changedAtMs, segment: join(directory, last), base };
  };
  return {
    of: (runId) => {
      const directory = join(runsDir, runId);
      try {
        const changedAtMs = statSync(directory).mtimeMs;
        const before = known.get(runId);
        const now = before?.changedAtMs === changedAtMs ? before : lookUp(directory, changedAtMs);
        if (now === undefined) return undefined;
        known.set(runId, now);
        return now.base + statSync(now.segment).size;
      } catch {
        // Removed between two looks.
        return undefined;
      }
    },
    keepOnly: (runIds) => {
      for (const runId of known.keys()) if (!runIds.has(runId)) known.delete(runId);
    },
  };
}
