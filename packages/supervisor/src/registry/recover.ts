/*
 * Putting back what a rebuild found in a run directory.
 *
 * O3: the epoch becomes max(registry, shim) + 1, so the owner that held the run before
 * is fenced off. O6: the run belongs to the owner that rebuilds.
 */
import type { Statements } from '@clawdfather/sqlite';
import { runStates } from '../run-states.ts';
import type { RunRecord } from '../types.ts';
import { deleteRunRow, insertLabels } from './labels.ts';
import type { OwnerHandle } from './owners.ts';
import { formatExit, formatLabels, number } from './rows.ts';

export interface RecoveredRun {
  /** As read from the journal; owner and lease fields are ignored. */
  readonly record: RunRecord;
  /** The epoch the shim has journalled, or 0. */
  readonly shimEpoch: number;
  /** Where the shim's input stream stands (I1). */
  readonly inputOffset: number;
}

/** Returns the run's new epoch. */
export type InsertRecovered = (run: RecoveredRun, owner: OwnerHandle) => number;

const columns = `run_id state epoch owner_instance_no owner_generation session_id backend_id
  labels scope_key mode command cwd lease_id boot_id pid_namespace owner_loss leftovers overall_ms
  no_output_ms created_at_ms updated_at_ms pid process_group_id job_id start_ticks shim_pid
  shim_start_ticks run_dir_dev run_dir_ino started_at_ms last_output_at_ms input_offset exit
  exit_reason ended_at_ms tree_ended_at_ms journal_bytes removed_at_ms`.split(/\s+/);

const insertSql = `INSERT INTO runs (${columns.join(', ')})
  VALUES (${columns.map(() => '?').join(', ')})`;

export function createInsertRecovered(
  statements: Statements,
  wallMs: () => number,
): InsertRecovered {
  const { run, one } = statements;
  return ({ record, shimEpoch, inputOffset }, owner) => {
    const known = one('SELECT * FROM runs WHERE run_id = ?', [record.runId]);
    const registryEpoch = known === undefined ? 0 : number(known, 'epoch');
    const epoch = Math.max(registryEpoch, shimEpoch) + 1;
    if (known !== undefined) deleteRunRow(statements, known);
    const { exit, deadlines } = record;
    const place = [record.runId, runStates.indexOf(record.state), epoch];
    const who = [owner.instanceNo, owner.generation, record.sessionId, record.backendId];
    const what = [formatLabels(record.labels), record.scopeKey, record.mode, record.command];
    const where = [record.cwd, record.leaseId, record.bootId, record.pidNamespace];
    const policy = [record.ownerLoss, record.leftovers, deadlines.overallMs, deadlines.noOutputMs];
    const process = [record.pid, record.processGroupId, record.jobId, record.startTicks];
    const shim = [record.shimPid, record.shimStartTicks, record.runDirDev, record.runDirIno];
    const progress = [record.startedAtMs, record.lastOutputAtMs, inputOffset];
    const end = [exit && formatExit(exit), exit?.reason, exit?.endedAtMs, record.treeEndedAtMs];
    const times = [record.createdAtMs, wallMs()];
    const request = [...place, ...who, ...what, ...where, ...policy, ...times];
    const outcome = [...process, ...shim, ...progress, ...end];
    run(insertSql, [...request, ...outcome, record.journalBytes, record.removedAtMs]);
    insertLabels(statements, record.runId, record.labels);
    return epoch;
  };
}
