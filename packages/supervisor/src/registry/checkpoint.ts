/*
 * Folding the write-ahead log back into the registry file, beside the loop.
 *
 * SQLite would do this inside some unlucky COMMIT: two fsyncs and thousands of
 * page writes, 15 to 35 ms of a stopped event loop as measured on ext4. So
 * automatic checkpoints are off, and after every few thousand changes a short-lived
 * worker thread with a connection of its own does the work:
 *
 *   1. A first pass, while writers go on. It takes no lock that a writer needs
 *      and does nearly all of the work.
 *   2. The commit queue holds its writes for a moment; a second pass folds in
 *      what came during the first. Only a log that was folded in to its last
 *      page is begun anew, without this pause it would grow for ever under load.
 *
 * The log's file keeps its size and is written over: cutting it costs a commit of
 * the file system's own journal, 10 ms in the middle of a write. That is also why
 * the trigger is a count of changes and not the file's size.
 *
 * A checkpoint that fails is tried again later: the log stays readable meanwhile.
 */
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { changesPerLogCheck, logBytesMin } from '../limits.ts';

export interface Checkpointer {
  /** `changes`: rows changed in this connection's life. */
  afterCommit(changes: number): void;
  /** Waits for a checkpoint that is under way. */
  close(): Promise<void>;
}

/** For a database without a log. */
export const noCheckpointer: Checkpointer = { afterCommit: () => {}, close: async () => {} };

/** The part of the commit queue that a checkpoint needs. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/** A commit writes the pages of the indexes' tops again, however little it changed. */
const pagesPerCommit = 4;

/* Inline, because a worker's file would have another name in dist than in the source. */
const workerSource = `
const { DatabaseSync } = require('node:sqlite');
const { parentPort, workerData } = require('node:worker_threads');
const db = new DatabaseSync(workerData.file);
const pass = () => db.exec('PRAGMA wal_checkpoint(PASSIVE)');
pass();
parentPort.once('message', () => { pass(); db.close(); });
parentPort.postMessage('first pass done');
`;

export function createCheckpointer(file: string, queue: Pausable): Checkpointer {
  let changesSeen = 0;
  let commits = 0;
  let worker: Worker | undefined;
  let current: Promise<void> | undefined;

  async function checkLog(): Promise<void> {
    if ((await sizeOf(`${file}-wal`)) < logBytesMin) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    worker = new Worker(workerSource, { eval: true, execArgv: [], workerData: { file } });
    worker.unref();
    worker.once('message', () => {
      queue.pause();
      // Writes wait for this thread now, so the process must not end before it.
      worker?.ref();
      worker?.postMessage('second pass');
    });
    worker.on('error', () => {
      // For instance EMFILE or a full disk; a writer will meet and report the same.
    });
    worker.once('exit', () => resolve());
    await promise;
    worker = undefined;
    queue.resume();
  }

  return {
    afterCommit: (changes) => {
      commits += 1;
      const logged = changes - changesSeen + commits * pagesPerCommit;
      if (logged < changesPerLogCheck || current !== undefined) return;
      changesSeen = changes;
      commits = 0;
      current = checkLog().finally(() => {
        current = undefined;
      });
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
