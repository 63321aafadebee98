/*
 * A database's content as of now, read from its files as bytes and without writing one.
 *
 * SQLite cannot do that for us: a database with a write-ahead log needs its index (`-shm`), and where that is not there, as
 * after the last process has closed it, not even a read-only connection opens on a disk without space or inodes.
 * `immutable=1` opens, and passes over the log: what was committed last is missing.
 *
 * So both files are read, and the committed pages of the log are laid over those of the database, as a checkpoint would.
 * The format is fixed by https://sqlite.org/fileformat2.html#walformat. Other processes may write meanwhile: files that
 * changed while they were read are read again.
 *
 * Not for a process that has the database open: closing a file drops all locks that the process has on it.
 */
import { readFileSync, statSync } from 'node:fs';
import { hasErrno } from '@clawdfather/kit';
import { fullError } from './failures.ts';
import { snapshotBytesMax } from './limits.ts';

const attemptsMax = 5;
const logHeaderBytes = 32;
const frameHeaderBytes = 24;
/* The last bit says in which byte order the checksums are. */
const logMagic = 0x377f0682;
/* Of the database's header: 1 is a rollback journal, 2 a log. A copy in memory has no log. */
const formatVersionsAt = 18;
const rollbackFormat = 1;

/** `undefined`: there is no database yet. Throws as SQLite does on a full disk when it is larger than `snapshotBytesMax`. */
export function readSnapshot(file: string): Buffer | undefined {
  for (let attempt = 1; ; attempt += 1) {
    const before = marksOf(file);
    if (before === undefined) return undefined;
    const main = readFileSync(file);
    const log = readIfThere(`${file}-wal`);
    if (marksOf(file) === before || attempt === attemptsMax) return mergeLog(main, log);
  }
}

/** The database with all that its log has committed. */
function mergeLog(main: Buffer, log: Buffer): Buffer {
  const pages = committedPages(log);
  const merged = Buffer.alloc(pages.count === 0 ? main.length : pages.count * pages.bytes);
  main.copy(merged);
  for (const [number, page] of pages.byNumber) page.copy(merged, (number - 1) * pages.bytes);
  if (merged.length > 0) merged.fill(rollbackFormat, formatVersionsAt, formatVersionsAt + 2);
  return merged;
}

interface CommittedPages {
  /** Of the whole database after the last commit; 0 when the log has none. */
  readonly count: number;
  readonly bytes: number;
  readonly byNumber: ReadonlyMap<number, Buffer>;
}

/*
 * Frames count as long as they carry the header's salts and the running checksum is right: behind them lie those of an
 * earlier round of the same file, or one that was being written in a crash.
 */
function committedPages(log: Buffer): CommittedPages {
  const none: CommittedPages = { count: 0, bytes: 0, byNumber: new Map() };
  const magic = log.length < logHeaderBytes ? 0 : log.readUInt32BE(0);
  if (magic >>> 1 !== logMagic >>> 1) return none;
  const isBigEndian = (magic & 1) === 1;
  const bytes = log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let sums = checksum(log.subarray(0, 24), [0, 0], isBigEndian);
  if (!isSum(log, 24, sums)) return none;
  const byNumber = new Map<number, Buffer>();
  let uncommitted: (readonly [number, Buffer])[] = [];
  let count = 0;
  for (let at = logHeaderBytes; at + frameHeaderBytes + bytes <= log.length; ) {
    const page = log.subarray(at + frameHeaderBytes, at + frameHeaderBytes + bytes);
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    sums = checksum(log.subarray(at, at + 8), sums, isBigEndian);
    sums = checksum(page, sums, isBigEndian);
    if (!isSum(log, at + 16, sums)) break;
    uncommitted.push([log.readUInt32BE(at), page]);
    const countAfterCommit = log.readUInt32BE(at + 4);
    if (countAfterCommit > 0) {
      for (const [number, content] of uncommitted) byNumber.set(number, content);
      uncommitted = [];
      count = countAfterCommit;
    }
    at += frameHeaderBytes + bytes;
  }
  for (const number of byNumber.keys()) if (number > count) byNumber.delete(number);
  return { count, bytes, byNumber };
}

type Sums = readonly [number, number];

function checksum(data: Buffer, [first, second]: Sums, isBigEndian: boolean): Sums {
  let [one, other] = [first, second];
  for (let at = 0; at < data.length; at += 8) {
    one = (one + (isBigEndian ? data.readUInt32BE(at) : data.readUInt32LE(at)) + other) >>> 0;
    other =
      (other + (isBigEndian ? data.readUInt32BE(at + 4) : data.readUInt32LE(at + 4)) + one) >>> 0;
  }
  return [one, other];
}

function isSum(log: Buffer, at: number, [one, other]: Sums): boolean {
  return log.readUInt32BE(at) === one && log.readUInt32BE(at + 4) === other;
}

/* Sizes and times of both files; `undefined` without a database. */
function marksOf(file: string): string | undefined {
  const [main, log] = [file, `${file}-wal`].map((path) =>
    statSync(path, { bigint: true, throwIfNoEntry: false }),
  );
  if (main === undefined) return undefined;
  const bytes = Number(main.size + (log?.size ?? 0n));
  if (bytes > snapshotBytesMax) {
    throw fullError(`${file} is too large to be read into memory (${bytes} bytes)`);
  }
  return [main, log].map((one) => `${one?.ino} ${one?.size} ${one?.mtimeNs}`).join(' ');
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return Buffer.alloc(0);
    throw error;
  }
}
