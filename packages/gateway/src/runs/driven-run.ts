/*
 * Runs by their id, for those who want to do something to them: found like any other, and then whoever asks has to be
 * one who may drive it.
 */
import type { RunRecord } from '@clawdfather/supervisor';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { findRun, findStarted, type FoundRun } from './find-run.ts';
import type { Runs } from './open-runs.ts';
import { checkMayDrive } from './whose-runs.ts';

/* To be ended: one that is held has nobody to ask. */
export function runToEnd(runs: Runs, caller: Caller, id: string): FoundRun {
  const found = findRun(runs, caller, id);
  if (found.kind === 'run') checkMayDrive(caller, found.record);
  return found;
}

export function drivenRun(runs: Runs, caller: Caller, id: string): RunRecord {
  const record = findStarted(runs, caller, id);
  checkMayDrive(caller, record);
  return record;
}

export function livingRun(runs: Runs, caller: Caller, id: string): RunRecord {
  const record = drivenRun(runs, caller, id);
  if (record.exit !== undefined) throw new ApiError('not_running', 'the run has ended');
  return record;
}
