/*
 * The rarer writes on a run: policy and deadlines, output heartbeats, the end of
 * what was left, forgetting. Fenced by the epoch like all others (fence.ts).
 */
import type { Statements } from '@clawdfather/sqlite';
import { exitedNumber } from '../run-states.ts';
import type { ExitExplanation, TreeEnd } from '../run-end.ts';
import type { LeftoversPolicy, OwnerLossPolicy, RunId, RunRecord } from '../types.ts';
import { fencedRow, refusalOf } from './fence.ts';
import type { RunKey } from './fence.ts';
import { deleteRunRow } from './labels.ts';
import { number } from './rows.ts';

/** Absent fields stay as they are. */
export interface RunChange {
  readonly ownerLoss?: OwnerLossPolicy;
  readonly leftovers?: LeftoversPolicy;
  readonly deadlines?: RunRecord['deadlines'];
  readonly lastOutputAtMs?: number;
}

export interface TreeGone {
  readonly treeEnd: TreeEnd;
  /** They may have written more since the run settled. */
  readonly lastOutputAtMs?: number | undefined;
}

export interface RunChanges {
  readonly change: (key: RunKey, change: RunChange) => void;
  /** Leftovers or survivors are gone too. What is recorded first stays. */
  readonly markTreeGone: (key: RunKey, gone: TreeGone) => void;
  /** Of a run that has ended. What is recorded first stays. */
  readonly explain: (key: RunKey, explanation: ExitExplanation) => void;
  /** Hidden from lists until gc takes it. */
  readonly markRemoved: (key: RunKey) => void;
  /** O7: a person accepts that this run may go on without its scope. Not fenced: the person who decides it does not own the run. */
  readonly dropScope: (runId: RunId) => void;
  /** O3: the shim knows a higher epoch than we do; ours becomes `epoch`. */
  readonly raiseEpoch: (key: RunKey, epoch: number) => void;
  /** Forgets a run whose directory is proven to be in the trash, whatever its row says (finish-removals.ts). */
  readonly forgetRun: (key: RunKey) => void;
  /** Forgets a run; `open` (and nothing done) while it is live or has a tree. */
  readonly deleteRun: (key: RunKey) => 'done' | 'open';
}

const changeSql = `UPDATE runs SET owner_loss = coalesce(?, owner_loss),
  leftovers = coalesce(?, leftovers), overall_ms = iif(?, ?, overall_ms),
  no_output_ms = iif(?, ?, no_output_ms), last_output_at_ms = coalesce(?, last_output_at_ms),
  updated_at_ms = ? WHERE run_id = ? AND epoch = ?`;

/* How they ended is a part of the exit, which otherwise never changes. */
const treeGoneSql = `UPDATE runs SET tree_ended_at_ms = coalesce(tree_ended_at_ms, ?),
  exit = iif(tree_ended_at_ms IS NULL, json_set(exit, '$.treeEnd', json(?)), exit),
  last_output_at_ms = iif(tree_ended_at_ms IS NULL, coalesce(?, last_output_at_ms), last_output_at_ms),
  updated_at_ms = ? WHERE run_id = ? AND epoch = ? AND state = 3`;

const explainSql = `UPDATE runs SET exit = json_set(exit, '$.hostCause', ?,
  '$.detail', coalesce(json_extract(exit, '$.detail'), ?)), updated_at_ms = ?
  WHERE run_id = ? AND epoch = ? AND state = 3 AND json_extract(exit, '$.hostCause') IS NULL`;

const removedSql = `UPDATE runs SET removed_at_ms = coalesce(removed_at_ms, ?), updated_at_ms = ?
  WHERE run_id = ? AND epoch = ?`;

const raiseSql = 'UPDATE runs SET epoch = ?, updated_at_ms = ? WHERE run_id = ? AND epoch = ?';

export function createRunChanges(statements: Statements, wallMs: () => number): RunChanges {
  const { run } = statements;
  return {
    change: (key, { ownerLoss, leftovers, deadlines, lastOutputAtMs }) => {
      // `undefined` deadlines mean none, so "leave them" needs a flag of its own.
      const areDeadlinesNew = Number(deadlines !== undefined);
      const overall = [areDeadlinesNew, deadlines?.overallMs];
      const noOutput = [areDeadlinesNew, deadlines?.noOutputMs];
      const rest = [lastOutputAtMs, wallMs(), key.runId, key.epoch];
      const values = [ownerLoss, leftovers, ...overall, ...noOutput, ...rest];
      if (run(changeSql, values) === 0) refusalOf(statements, key);
    },
    markTreeGone: (key, { treeEnd, lastOutputAtMs }) => {
      const end = [treeEnd.endedAtMs, JSON.stringify(treeEnd), lastOutputAtMs];
      const changed = run(treeGoneSql, [...end, wallMs(), key.runId, key.epoch]);
      if (changed === 0) refusalOf(statements, key);
    },
    explain: (key, { hostCause, detail }) => {
      run(explainSql, [hostCause, detail, wallMs(), key.runId, key.epoch]);
    },
    markRemoved: (key) => {
      const nowMs = wallMs();
      const changed = run(removedSql, [nowMs, nowMs, key.runId, key.epoch]);
      if (changed === 0) refusalOf(statements, key);
    },
    dropScope: (runId) => {
      run('UPDATE runs SET scope_key = NULL, updated_at_ms = ? WHERE run_id = ?', [
        wallMs(),
        runId,
      ]);
    },
    raiseEpoch: (key, epoch) => {
      const changed = run(raiseSql, [epoch, wallMs(), key.runId, key.epoch]);
      if (changed === 0) refusalOf(statements, key);
    },
    forgetRun: (key) => deleteRunRow(statements, fencedRow(statements, key)),
    deleteRun: (key) => {
      const row = fencedRow(statements, key);
      if (number(row, 'state') !== exitedNumber || row['tree_ended_at_ms'] === null) return 'open';
      deleteRunRow(statements, row);
      return 'done';
    },
  };
}
