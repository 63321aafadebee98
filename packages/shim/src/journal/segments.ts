/*
 * Segment files: their names, and one that is open for reading.
 *
 * Opening, sizes and headers are read synchronously: each costs a microsecond
 * from the page cache, less than handing it to the thread pool. State is
 * never on a network file system (O6).
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { hasErrno } from '@clawdfather/kit';
import { ShimError } from '../errors.ts';
import { segmentHeaderBytes } from './format.ts';
import { parseSegmentHeader, type SegmentHeader } from './segment-header.ts';

const segmentPattern = /^j-[0-9a-f]{16}$/;

export function segmentPath(runDir: string, base: number): string {
  return `${runDir}/j-${base.toString(16).padStart(16, '0')}`;
}

/* The bases of all segments, oldest first. Throws `journal-missing` without a run directory. */
export function listSegmentBases(runDir: string): readonly number[] {
  let names: readonly string[];
  try {
    names = readdirSync(runDir);
  } catch (cause) {
    throw new ShimError('journal-missing', 'the run directory is not there', {
      cause,
      detail: { runDir },
    });
  }
  return names
    .filter((name) => segmentPattern.test(name))
    .map((name) => Number.parseInt(name.slice(2), 16))
    .sort((left, right) => left - right);
}

export interface OpenSegment {
  readonly base: number;
  readonly fd: number;
  /* Undefined until all of it is written. */
  readonly header: SegmentHeader | undefined;
}

export interface SegmentSize {
  readonly bytes: number;
  /* The file has no name any more: the cap removed it, yet its bytes are still ours to read. */
  readonly isUnlinked: boolean;
}

/* Undefined when there is no such segment (any more). */
export function openSegment(runDir: string, base: number): OpenSegment | undefined {
  let fd: number;
  try {
    fd = openSync(segmentPath(runDir, base), 'r');
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  try {
    return { base, fd, header: readSegmentHeader(fd, base) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

export function readSegmentHeader(fd: number, base: number): SegmentHeader | undefined {
  const bytes = Buffer.allocUnsafe(segmentHeaderBytes);
  const count = readSync(fd, bytes, 0, segmentHeaderBytes, 0);
  const header = parseSegmentHeader(bytes.subarray(0, count));
  return header?.base === base ? header : undefined;
}

export function sizeOfSegment(fd: number): SegmentSize {
  const stat = fstatSync(fd);
  return { bytes: stat.size, isUnlinked: stat.nlink === 0 };
}

export function isNotFound(error: unknown): boolean {
  return hasErrno(error, 'ENOENT');
}
