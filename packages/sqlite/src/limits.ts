/*
 * The limits that hold for every SQLite database of ours, with the reason beside each.
 */

/** Closures per transaction: bounds one stay in SQLite to a few milliseconds. */
export const closuresPerCommitMax = 256;
/** More than any burst of ours. With so many writes waiting, the disk or the lock has stopped, and callers are told at once. */
export const writesQueuedMax = 20_000;

/** First and longest pause between attempts for the lock; the event loop runs meanwhile. */
export const busyPauseMs = 1;
export const busyPauseMsMax = 50;
/**
 * How long a write waits for another process's lock. It is shorter than the lease of a runs' owner, so a lost beat is noticed,
 * and shorter than the 30 seconds of an API call.
 */
export const busyLimitMs = 10_000;

/** All SQL is assembled from fixed parts, so this many are hardly ever reached. */
export const statementsCachedMax = 512;
/** Rows of more columns are made by Node. A list of a host's runs, of 47, takes 15 % longer when they are named by us. */
export const namedColumnsMax = 32;

/** A database that is read as a whole into memory, because nothing can be written; twice that is taken for a moment. */
export const snapshotBytesMax = 512 * 1024 * 1024;

/** SQLite makes its index in regions of this size, for so many pages of the log; the first holds a header too. */
export const indexRegionBytes = 32 * 1024;
export const pagesPerRegion = 4_096;
export const pagesInFirstRegion = 4_062;
