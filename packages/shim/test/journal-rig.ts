/*
 * What the journal's tests share: a run directory of their own, a reader on it,
 * and reading everything into one plain value.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type JournalPosition, journalStart } from '../src/journal/cursor.ts';
import {
  type JournalReader,
  type JournalReaderDeps,
  openJournalReader,
} from '../src/journal/reader.ts';
import type { JournalRead } from '../src/journal/journal-read.ts';

export function temporaryRunDir(context: TestContext): string {
  const runDir = mkdtempSync(join(tmpdir(), 'clf-journal-'));
  context.after(() => rmSync(runDir, { recursive: true, force: true }));
  return runDir;
}

export interface ReaderRig {
  readonly reader: JournalReader;
  /* The evidence that the reader asks for. */
  isAlive: boolean;
}

export function readerOn(
  context: TestContext,
  runDir: string,
  deps: Partial<JournalReaderDeps> = {},
): ReaderRig {
  const rig: { isAlive: boolean } = { isAlive: true };
  const reader = openJournalReader(runDir, {
    shimAlive: () => rig.isAlive,
    ...deps,
  });
  context.after(() => reader.close());
  return Object.assign(rig, { reader });
}

export interface Collected {
  /* All output, in order, both streams. */
  readonly output: Buffer;
  readonly kinds: readonly string[];
  /* What came instead of frames at last. */
  readonly last: Exclude<JournalRead, { kind: 'frames' }>;
  readonly next: JournalPosition;
}

/* Reads until something else than frames comes. Pieces of one frame count once. */
export async function collect(
  reader: JournalReader,
  from: JournalPosition = journalStart,
): Promise<Collected> {
  const output: Buffer[] = [];
  const kinds: string[] = [];
  let next = from;
  for (;;) {
    const read = await reader.read(next);
    if (read.kind !== 'frames') {
      return { output: Buffer.concat(output), kinds, last: read, next };
    }
    for (const frame of read.frames) {
      if (frame.kind === 'output') output.push(Buffer.from(frame.payload));
      if (frame.payloadOffset === 0) kinds.push(frame.kind);
    }
    next = read.next;
    read.release();
  }
}

/* In the file itself, as a bad disk or another program would. */
export function flipByte(path: string, place: number): void {
  const bytes = readFileSync(path);
  bytes[place]! ^= 0xff;
  writeFileSync(path, bytes);
}

/* Reads to the journal's end, past everything that is told in between. */
export async function readThrough(
  reader: JournalReader,
  from: JournalPosition = journalStart,
): Promise<{ readonly output: string; readonly told: readonly Collected['last'][] }> {
  const told: Collected['last'][] = [];
  const output: string[] = [];
  let at = from;
  /* More than any journal of a test has to tell: a reader that goes in circles is noticed. */
  while (told.length < 50) {
    const seen = await collect(reader, at);
    output.push(seen.output.toString());
    told.push(seen.last);
    if (seen.last.kind !== 'gap' && seen.last.kind !== 'damaged') break;
    at = seen.last.to;
  }
  return { output: output.join(''), told };
}
