/*
 * Segment files: their names, and one that is open for reading.
 *
 * Opening, sizes and headers are read synchronously: each costs a microsecond
 * from the page cache, less than handing it to the thread pool. State is
 * never on a network file system (O6).
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
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

export interface SegmentName {
  readonly base: number;
  /* The run it belongs to; undefined when the caller wants to learn that from the file. */
  readonly runId?: string | undefined;
}

/* A segment is a plain file of our own. A link is not followed, and a pipe is not waited for. */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/* Something has the name, and it is not what the shim wrote. Want of descriptors or memory is another matter, and is thrown. */
const notOurs = ['ELOOP', 'EACCES', 'EPERM', 'ENXIO', 'ENODEV'] as const;

/*
 * Undefined when there is no such segment (any more). `unreadable`: the name is there, and what has it is no file, may not be
 * read, or is a segment of another place or run.
 */
export function openSegment(
  runDir: string,
  name: SegmentName,
): OpenSegment | 'unreadable' | undefined {
  let fd: number;
  try {
    fd = openSync(segmentPath(runDir, name.base), openFlags);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (hasErrno(error, ...notOurs)) return 'unreadable';
    throw error;
  }
  try {
    const header = fstatSync(fd).isFile() ? readSegmentHeader(fd, name) : 'foreign';
    if (header !== 'foreign') return { base: name.base, fd, header };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return 'unreadable';
}

/* Undefined: it is not whole. `foreign`: it is, and is the header of another segment. */
export function readSegmentHeader(
  fd: number,
  { base, runId }: SegmentName,
): SegmentHeader | 'foreign' | undefined {
  const bytes = Buffer.allocUnsafe(segmentHeaderBytes);
  const count = readSync(fd, bytes, 0, segmentHeaderBytes, 0);
  const header = parseSegmentHeader(bytes.subarray(0, count));
  if (header === undefined) return undefined;
  const isOurs = header.base === base && (runId === undefined || header.runId === runId);
  return isOurs ? header : 'foreign';
}

export function sizeOfSegment(fd: number): SegmentSize {
  const stat = fstatSync(fd);
  return { bytes: stat.size, isUnlinked: stat.nlink === 0 };
}

function isNotFound(error: unknown): boolean {
  return hasErrno(error, 'ENOENT');
}
