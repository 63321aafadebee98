/*
 * The door of sqlite: what the registry and the control database have in common.
 */
export { createClosureQueue } from './closure-queue.ts';
export { createCommitQueue } from './commit-queue.ts';
export type { CommitQueue, GroupOutcome, Queued, WorkOutcome } from './commit-queue.ts';
export { isFatalToTransaction, resultCodeOf, sqliteFailureOf } from './failures.ts';
export type { DatabaseErrors, SqliteFailure } from './failures.ts';
export { refuseWithoutIndexRoom } from './index-room.ts';
export { retryWhileLocked } from './lock-retry.ts';
export type { LockWaiting } from './lock-retry.ts';
export { makePrivateDatabaseFile } from './private-file.ts';
export { readSnapshot } from './read-snapshot.ts';
export { createStatements } from './statements.ts';
export type { ConnectionStatements, Row, SqlValues, Statements } from './statements.ts';
