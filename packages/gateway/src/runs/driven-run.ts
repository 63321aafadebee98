/*
 * Runs by their id, for callers who want to do something to them: found like any other, and then the caller has to be one who may
 * end it, or drive it.
 */
import type { RunRecord } from '@clawdfather/supervisor';
import { ApiError } from '../http/api-error.ts';
import { actorOf, type Caller } from '../http/caller.ts';
import { findRun, findStarted, type FoundRun } from './find-run.ts';
import type { Runs } from './open-runs.ts';
import { checkMayDrive } from './may-drive.ts';
import { checkMayEnd, endableOf, endableOfHeld } from './may-end.ts';

export function runToEnd(runs: Runs, caller: Caller, id: string): FoundRun {
  const found = findRun(runs, caller, id);
  const what = found.kind === 'run' ? endableOf(found.record) : endableOfHeld(found.approval);
  checkMayEnd(actorOf(caller), [what]);
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
