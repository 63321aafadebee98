/*
 * Folding the write-ahead log back into the registry file, beside the loop.
 *
 * SQLite would do this inside some unlucky COMMIT: two fsyncs and thousands of
 * page writes, 15 to 35 ms of a stopped event loop as measured on ext4. So
 * automatic checkpoints are off, and when so many bytes have been logged, or a
 * log of that size is found at the opening, a short-lived worker thread with a
 * connection of its own does the work:
 *
 *   1. A first pass, while writers go on. It takes no lock that a writer needs
 *      and does nearly all of the work. Beyond `logBytesKept` our own writers
 *      wait from here on: large values are logged faster than they are folded in.
 *   2. The commit queue holds its writes for a moment, and SQLite's own lock
 *      those of other processes; a second pass folds in what came during the
 *      first. Only a log that was folded in to its last page is begun anew,
 *      without this pause it would grow for ever under load.
 *
 * The log's file keeps its size and is written over: cutting it costs a commit of
 * the file system's own journal, 10 ms in the middle of a write. That is also why
 * the trigger is what was written and not the file's size. Only a log that large
 * values have made longer than `logBytesKept` is cut, by the write that begins it
 * anew (`journal_size_limit`). A process that holds a read transaction open keeps
 * the log from beginning anew; it grows until that one ends, and is cut then.
 *
 * Space that large values have left inside the file is used again by the next
 * ones. Where it is most of the file, the file is written anew, which costs as
 * much as its content. Not `auto_vacuum`: that has to be chosen before the first
 * table is made, and costs every write a little for what happens once.
 *
 * A checkpoint that fails is tried again later: the log stays readable meanwhile.
 */
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { freeBytesMax, logBusyMs, logBytesKept, logBytesMin, logBytesPerCheck } from '../limits.ts';

export interface Checkpointer {
  /** Looks at what earlier processes have left. */
  afterOpening(freeBytes: number): void;
  afterCommit(): void;
  /** Waits for a checkpoint that is under way. */
  close(): Promise<void>;
}

/** For a database without a log. */
export const noCheckpointer: Checkpointer = {
  afterOpening: () => {},
  afterCommit: () => {},
  close: async () => {},
};

/** The part of the commit queue that a checkpoint needs. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

export interface CheckpointDeps {
  readonly file: string;
  readonly queue: Pausable;
  /** Rows changed, and bytes of long values written, in this connection's life. */
  readonly written: { readonly changes: () => number; readonly longBytes: () => number };
}

const pageBytes = 4_096;
/** A commit writes the pages of the indexes' tops again, however little it changed. */
const pagesPerCommit = 4;

/* Inline, because a worker's file would have another name in dist than in the source. */
const workerSource = `
const { DatabaseSync } = require('node:sqlite');
const { parentPort, workerData } = require('node:worker_threads');
const { file, busyMs, freeBytesMax } = workerData;
const db = new DatabaseSync(file, { timeout: busyMs });
const numberOf = (name) => Object.values(db.prepare('PRAGMA ' + name).get())[0];
const giveBack = () => {
  const free = numberOf('freelist_count');
  if (free * numberOf('page_size') > freeBytesMax && free * 2 > numberOf('page_count')) db.exec('VACUUM');
};
db.exec('PRAGMA wal_checkpoint(PASSIVE)');
parentPort.once('message', () => {
  try { giveBack(); } catch { /* Busy, or no room for a second one: another time. */ }
  db.exec('PRAGMA wal_checkpoint(RESTART)');
  db.close();
});
parentPort.postMessage('first pass done');
`;

export function createCheckpointer({ file, queue, written }: CheckpointDeps): Checkpointer {
  let foldedAtBytes = 0;
  let commits = 0;
  let worker: Worker | undefined;
  let current: Promise<void> | undefined;

  const loggedBytes = (): number =>
    (written.changes() + commits * pagesPerCommit) * pageBytes + written.longBytes();

  function begin(work: () => Promise<void>): void {
    if (current !== undefined) return;
    foldedAtBytes = loggedBytes();
    current = work().finally(() => {
      current = undefined;
    });
  }

  async function foldIn(bytesMin: number): Promise<void> {
    const bytes = await sizeOf(`${file}-wal`);
    if (bytes < bytesMin) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const workerData = { file, busyMs: logBusyMs, freeBytesMax };
    const begun = new Worker(workerSource, { eval: true, execArgv: [], workerData });
    const holdWrites = (): void => {
      queue.pause();
      // Writes wait for this thread now, so the process must not end before it.
      begun.ref();
    };
    begun.unref();
    worker = begun;
    if (bytes > logBytesKept) holdWrites();
    begun.once('message', () => {
      holdWrites();
      begun.postMessage('second pass');
    });
    begun.on('error', () => {
      // For instance EMFILE or a full disk; a writer will meet and report the same.
    });
    begun.once('exit', () => resolve());
    await promise;
    worker = undefined;
    queue.resume();
  }

  return {
    afterOpening: (freeBytes) =>
      begin(() => foldIn(freeBytes > freeBytesMax ? 0 : logBytesPerCheck)),
    afterCommit: () => {
      commits += 1;
      if (loggedBytes() - foldedAtBytes >= logBytesPerCheck) begin(() => foldIn(logBytesMin));
    },
    close: async () => {
      worker?.ref();
      await current;
    },
  };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    // No log: nothing to fold back.
    return 0;
  }
}
