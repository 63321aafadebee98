/*
 * Writes journals byte for byte as a shim would (docs/protocol/journal.md), and
 * wrong ones on purpose. Written from that page, not from the reader's code:
 * it has its own constants, so that a slip in one shows up against the other.
 */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

export const bootIdHere = '01234567-89ab-cdef-0123-456789abcdef';
export const bootIdOther = 'ffffffff-0000-4000-8000-aaaaaaaaaaaa';

export const kinds = {
  meta: 1,
  start: 2,
  output: 3,
  resize: 4,
  claim: 5,
  input: 6,
  note: 7,
  exit: 8,
  end: 9,
} as const;

export interface HeaderParts {
  readonly base: number;
  readonly bootId?: string;
  readonly runId?: string;
  readonly isHold?: boolean;
  readonly version?: number;
}

export function segmentHeaderBytes(parts: HeaderParts): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write('CLFJRNL1', 0, 'latin1');
  bytes.writeUInt16LE(parts.version ?? 1, 8);
  bytes.writeUInt16LE(128, 10);
  bytes.writeUInt32LE(parts.isHold === true ? 1 : 0, 12);
  bytes.writeBigUInt64LE(BigInt(parts.base), 16);
  bytes.writeBigUInt64LE(1_700_000_000_000_000n, 24);
  bytes.write((parts.bootId ?? bootIdHere).replaceAll('-', ''), 32, 'hex');
  bytes.fill(0xc0, 48, 64);
  bytes.write(parts.runId ?? 'run-1', 64, 'latin1');
  bytes.writeBigUInt64LE(4_026_531_836n, 96);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 124)), 124);
  return bytes;
}

export interface FrameParts {
  readonly kind: number;
  readonly stream?: number;
  readonly payload: Buffer | string;
  readonly timeUs?: number;
}

export function frameBytes(parts: FrameParts, offset: number): Buffer {
  const payload = Buffer.from(parts.payload);
  const head = Buffer.alloc(32);
  head.write('FRM1', 0, 'latin1');
  head.writeUInt8(parts.kind, 4);
  head.writeUInt8(parts.stream ?? 0, 5);
  head.writeUInt32LE(payload.length, 8);
  head.writeUInt32LE(crc32(payload), 12);
  head.writeBigUInt64LE(BigInt(parts.timeUs ?? 1_700_000_000_000_001), 16);
  head.writeUInt32LE(Number(BigInt(offset) & 0xffffffffn), 24);
  head.writeUInt32LE(crc32(head.subarray(0, 28)), 28);
  return Buffer.concat([head, payload]);
}

export const startJson = {
  pid: 4242,
  pgid: 4242,
  startTicks: 991,
  bootId: bootIdHere,
  pidNs: 4_026_531_836,
  dev: 2049,
  ino: 77,
  shimPid: 4241,
  shimStartTicks: 990,
  pty: false,
  epoch: 1,
};

export const exitJson = {
  code: 0,
  signal: null,
  core: false,
  reason: 'exit',
  actor: null,
  detail: null,
  startedUs: 1_700_000_000_000_000,
  endedUs: 1_700_000_001_000_000,
  durationMs: 1000,
  userUs: 10,
  systemUs: 20,
  maxRssKb: 3000,
  readBytes: 1,
  writeBytes: 2,
  leftovers: [],
  undrainedBytes: 0,
};

export const endJson = {
  reason: 'exit',
  actor: null,
  detail: null,
  killed: { pid: 0, pgid: 0, cgroup: 0 },
  escapees: 0,
  survivors: [],
  endedUs: 1_700_000_001_000_001,
  final: true,
};

export interface JournalWriter {
  /* Logical offset after the last byte. */
  readonly end: number;
  readonly base: number;
  readonly path: string;
  append(parts: FrameParts): void;
  output(payload: Buffer | string, stream?: number): void;
  json(kind: number, value: unknown): void;
  /* Bytes as they are, frame or not. */
  raw(bytes: Buffer): void;
  rotate(): void;
  dropSegment(base: number): void;
}

export function createJournalWriter(
  runDir: string,
  header: Omit<HeaderParts, 'base'> = {},
): JournalWriter {
  let base = 0;
  let end = 0;
  const pathOf = (segment: number): string =>
    join(runDir, `j-${segment.toString(16).padStart(16, '0')}`);

  const raw = (bytes: Buffer): void => {
    appendFileSync(pathOf(base), bytes);
    end += bytes.length;
  };
  const append = (parts: FrameParts): void => raw(frameBytes(parts, end));
  const begin = (): void => {
    base = end;
    writeFileSync(pathOf(base), '');
    raw(segmentHeaderBytes({ ...header, base }));
  };

  begin();
  return {
    get end() {
      return end;
    },
    get base() {
      return base;
    },
    get path() {
      return pathOf(base);
    },
    append,
    output: (payload, stream = 1) => append({ kind: kinds.output, stream, payload }),
    json: (kind, value) => append({ kind, payload: JSON.stringify(value) }),
    raw,
    rotate: begin,
    dropSegment: (segment) => rmSync(pathOf(segment)),
  };
}
