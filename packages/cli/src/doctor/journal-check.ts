/*
 * Journals that were cut, deleted or altered: every one is read as a reader would read it, the newest runs first, up to a bound.
 */
import type { OutputEvent, RunRecord, Supervisor } from '@clawdfather/supervisor';
import { formatBytes } from '../render/bytes.ts';
import { shortId } from '../runs/find-run.ts';
import type { Finding } from './finding.ts';

/* Named in a finding; the rest is counted. */
const namesMax = 5;
/* A second or two of reading, with all checksums. What is older is not looked at. */
export const journalBytesMax = 1024 * 1024 * 1024;
/* What a run costs beside its bytes: a directory, a file, a connection to a shim. */
const runBytes = 64 * 1024;

export interface JournalFacts {
  readonly records: readonly RunRecord[];
  readonly attach: Supervisor['attach'];
  readonly bytesMax: number;
}

interface Damage {
  readonly record: RunRecord;
  readonly what: string;
}

export async function checkJournals({ records, attach, bytesMax }: JournalFacts): Promise<Finding> {
  const check = 'journals';
  const started = records.filter(({ startedAtMs }) => startedAtMs !== undefined);
  const newestFirst = started.toSorted((left, right) => right.createdAtMs - left.createdAtMs);
  const damaged: Damage[] = [];
  let bytesLeft = bytesMax;
  let looked = 0;
  for (const record of newestFirst) {
    if (bytesLeft <= 0) break;
    const { what, bytes } = await lookAt(record, attach, bytesLeft);
    if (what !== undefined) damaged.push({ record, what });
    bytesLeft -= bytes + runBytes;
    looked += 1;
  }
  const older = started.length - looked;
  const rest = older === 0 ? '' : `; ${older} older ones were not looked at`;
  if (damaged.length === 0) return { check, status: 'ok', summary: `${looked} are whole${rest}` };
  const told = damaged.slice(0, namesMax).map(({ record, what }) => `${shortId(record)} (${what})`);
  const more = damaged.length > namesMax ? ` and ${damaged.length - namesMax} more` : '';
  return {
    check,
    status: 'warn',
    summary: `journals that were cut, deleted or altered on disk: ${told.join(', ')}${more}${rest}`,
    advice:
      'What is left of them can be read: clf logs. A disk that fails, or a program that cleans up, are the usual causes.',
  };
}

interface Looked {
  /* Undefined: it is whole, as far as it was read. */
  readonly what: string | undefined;
  readonly bytes: number;
}

async function lookAt(
  record: RunRecord,
  attach: JournalFacts['attach'],
  bytesMax: number,
): Promise<Looked> {
  const found: string[] = [];
  let bytes = 0;
  try {
    const run = await attach(record.runId);
    for await (const event of run.outputSoFar()) {
      const what = damageOf(event);
      if (what !== undefined) found.push(what);
      if (event.kind === 'output') bytes += event.bytes.length;
      /* One that is still written may grow faster than it is read. */
      if (bytes > bytesMax || found.length > namesMax) break;
    }
  } catch (error) {
    found.push(error instanceof Error ? error.message : String(error));
  }
  return { what: found.length === 0 ? undefined : found.join(', '), bytes };
}

/* A lost tail of which nothing is known to be missing is the mark of a killed shim, and no damage. */
function damageOf(event: OutputEvent): string | undefined {
  if (event.kind === 'damaged') return `${formatBytes(event.missedBytes)} damaged`;
  if (event.kind !== 'tail-lost' || event.missedBytes === 0) return undefined;
  return `${formatBytes(event.missedBytes)} missing at the end`;
}
