/*
 * What a journal says about its run, without reading its output: for rebuild
 * and reconciliation (O3, O5, T8). Synchronous and bounded.
 *
 * Stages: the beginning of the oldest segment (meta and start are the first
 * frames of a run), then the frame headers of the newest one, where exit and
 * end are. Of each record the newest wins. Segments in between hold output; a
 * claim that lies only there is not seen; an owner that adopts the run asks the
 * shim, which knows it. Damage is skipped; a reader of the output reports it.
 */
import { closeSync } from 'node:fs';
import { ShimError } from '../errors.ts';
import { parseJsonFields } from '../json-fields.ts';
import { segmentHeaderBytes } from './format.ts';
import type { FrameHeader } from './frame-header.ts';
import { lookInSegments, noOutputLook } from './last-output.ts';
import { parseClaimRecord, parseEndRecord, parseExitRecord, parseStartRecord } from './records.ts';
import type { ClaimRecord, EndRecord, ExitRecord, StartRecord } from './records.ts';
import type { SegmentHeader } from './segment-header.ts';
import { listSegmentBases, openSegment, type OpenSegment, sizeOfSegment } from './segments.ts';
import { walkFrames, type WalkEnd } from './walk-frames.ts';
import { walkOn } from './walk-on.ts';

export interface JournalScan {
  /* `empty`: the intent of a run that no shim has claimed (S1). */
  readonly state: 'empty' | 'readable' | 'torn';
  /* Identity; undefined when not even a header is whole. */
  readonly header: SegmentHeader | undefined;
  readonly meta: Buffer | undefined;
  readonly start: StartRecord | undefined;
  readonly lastClaim: ClaimRecord | undefined;
  /* The highest epoch that is recorded (O3). */
  readonly epoch: number | undefined;
  readonly exit: ExitRecord | undefined;
  readonly end: EndRecord | undefined;
  /* Logical offset of the oldest segment that is left. */
  readonly oldestOffset: number;
  /* Logical offset after the last whole frame. */
  readonly endOffset: number;
  /* Bytes after it that are no frame. */
  readonly tornBytes: number;
  /* When it last said something; undefined: never, or that is no longer kept. */
  readonly lastOutputUs: number | undefined;
  /* When its shim last wrote anything. */
  readonly lastFrameUs: number | undefined;
}

interface Findings {
  header?: SegmentHeader | undefined;
  meta?: Buffer | undefined;
  start?: StartRecord;
  lastClaim?: ClaimRecord;
  exit?: ExitRecord;
  end?: EndRecord;
  lastOutputUs?: number | undefined;
  lastFrameUs?: number;
}

/* Meta, claim, start come before any output; more than this is not a beginning. */
const beginningFramesMax = 64;
/* The oldest segment may be removed between the listing and the opening. */
const attemptsMax = 8;

/* Throws `journal-missing` without a run directory. */
export function scanJournal(runDir: string): JournalScan {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const scan = tryScan(runDir);
    if (scan !== undefined) return scan;
  }
  throw new ShimError('journal-missing', 'segments vanish faster than they can be opened', {
    detail: { runDir },
  });
}

function tryScan(runDir: string): JournalScan | undefined {
  const bases = listSegmentBases(runDir);
  const oldest = bases[0];
  const newest = bases.at(-1);
  const findings: Findings = {};
  if (oldest === undefined || newest === undefined) {
    return finish(findings, { state: 'empty', oldestOffset: 0, endOffset: 0, tornBytes: 0 });
  }
  if (oldest !== newest && !scanBeginning(runDir, oldest, findings)) return undefined;
  findings.lastOutputUs = undefined; /* the beginning is not the newest */
  const segment = openSegment(runDir, { base: newest });
  if (segment === undefined) return undefined;
  if (segment === 'unreadable') {
    return finish(findings, {
      state: 'torn',
      oldestOffset: oldest,
      endOffset: newest,
      tornBytes: 0,
    });
  }
  try {
    const bytes = sizeOfSegment(segment.fd).bytes;
    findings.header ??= segment.header;
    const end = scanSegment(segment, bytes, findings);
    // A note may have opened the newest segment, and the output lies before it.
    findings.lastOutputUs ??= lookInSegments(runDir, bases.slice(0, -1), noOutputLook).lastOutputUs;
    const tornBytes = bytes - end.at;
    return finish(findings, {
      state: tornBytes === 0 ? 'readable' : 'torn',
      oldestOffset: oldest,
      endOffset: newest + end.at,
      tornBytes,
    });
  } finally {
    closeSync(segment.fd);
  }
}

/* False when the segment is gone. */
function scanBeginning(runDir: string, base: number, findings: Findings): boolean {
  const segment = openSegment(runDir, { base });
  if (segment === undefined) return false;
  if (segment === 'unreadable') return true;
  try {
    findings.header = segment.header;
    if (segment.header === undefined) return true;
    let frames = 0;
    const to = sizeOfSegment(segment.fd).bytes;
    walkFrames({ fd: segment.fd, base, from: segmentHeaderBytes, to }, (header, payload) => {
      frames += 1;
      note(findings, header, payload);
      return frames < beginningFramesMax && header.kind !== 'output';
    });
    return true;
  } finally {
    closeSync(segment.fd);
  }
}

function scanSegment(segment: OpenSegment, bytes: number, findings: Findings): WalkEnd {
  const { fd, base } = segment;
  if (bytes <= segmentHeaderBytes && segment.header === undefined) return { at: 0, end: 'torn' };
  return walkOn({ fd, base, from: segmentHeaderBytes, to: bytes }, (header, payload) => {
    note(findings, header, payload);
    return undefined;
  });
}

function note(
  findings: Findings,
  header: FrameHeader,
  readPayload: () => Buffer | undefined,
): void {
  findings.lastFrameUs = header.timeUs;
  if (header.kind === 'output') {
    findings.lastOutputUs = header.timeUs;
    return;
  }
  const parse = noters[header.kind];
  const payload = parse === undefined ? undefined : readPayload();
  if (parse === undefined || payload === undefined) return;
  try {
    parse(findings, payload);
  } catch (error) {
    /* A record that cannot be read is as good as none: the scan reports what it did find. */
    if (!(error instanceof ShimError)) throw error;
  }
}

const noters: Partial<Record<FrameHeader['kind'], (findings: Findings, payload: Buffer) => void>> =
  {
    meta: (findings, payload) => {
      findings.meta = Buffer.from(payload);
    },
    start: (findings, payload) => {
      findings.start = parseStartRecord(parseJsonFields(payload));
    },
    claim: (findings, payload) => {
      findings.lastClaim = parseClaimRecord(parseJsonFields(payload));
    },
    exit: (findings, payload) => {
      findings.exit = parseExitRecord(parseJsonFields(payload));
    },
    end: (findings, payload) => {
      findings.end = parseEndRecord(parseJsonFields(payload));
    },
  };

function finish(
  findings: Findings,
  extent: Pick<JournalScan, 'state' | 'oldestOffset' | 'endOffset' | 'tornBytes'>,
): JournalScan {
  return {
    header: findings.header,
    meta: findings.meta,
    start: findings.start,
    lastClaim: findings.lastClaim,
    epoch: findings.lastClaim?.epoch ?? findings.start?.epoch,
    exit: findings.exit,
    end: findings.end,
    lastOutputUs: findings.lastOutputUs,
    lastFrameUs: findings.lastFrameUs,
    ...extent,
  };
}
