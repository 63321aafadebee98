/*
 * The three writes of every run's life, and the one of a cancel: insertStarting,
 * markRunning, markExiting, finalise. All of it runs inside a transaction of the
 * commit queue, so it may run twice and touches nothing else (Q1), and every
 * statement on an existing run is fenced by its epoch (fence.ts).
 *
 * This is the hot path: one statement each, no reads when nothing is wrong.
 */
import { sqliteFailureOf, type Statements } from '@clawdfather/sqlite';
import { SupervisorError } from '../errors.ts';
import type { StartedProcess } from '../lifecycle/run-lifecycle.ts';
import type { RunExit } from '../run-end.ts';
import type { SpawnInput } from '../spawn-input.ts';
import type { LeftoversPolicy, OwnerLossPolicy, RunId, RunRecord } from '../types.ts';
import { refusalOf } from './fence.ts';
import type { RunKey } from './fence.ts';
import { insertLabels } from './labels.ts';
import type { OwnerHandle } from './owners.ts';
import { formatExit, formatLabels } from './rows.ts';
import { isHeldByApproval } from './registry-errors.ts';

export interface NewRun {
  readonly runId: RunId;
  readonly sessionId: string;
  readonly backendId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly scopeKey: string | undefined;
  readonly mode: SpawnInput['mode'];
  readonly command: string;
  readonly cwd: string;
  readonly leaseId: string;
  readonly ownerLoss: OwnerLossPolicy;
  readonly leftovers: LeftoversPolicy;
  readonly deadlines: RunRecord['deadlines'];
}

export interface Settlement {
  readonly exit: RunExit;
  /** False under `keep` with leftovers, and with survivors: the shim is still there. */
  readonly isTreeGone: boolean;
  readonly journalBytes: number | undefined;
  readonly lastOutputAtMs: number | undefined;
  /** Of a run that was over before its start was recorded. */
  readonly process?: StartedProcess | undefined;
}

/** The epoch a run begins with; every taking adds one. */
export const firstEpoch = 1;

export interface RunWrites {
  /** `exists`: the id is known, spawning it again is the same run (S1). Throws `scope-busy`. */
  readonly insertStarting: (run: NewRun, owner: OwnerHandle) => 'inserted' | 'exists';
  readonly markRunning: (
    key: RunKey,
    process: StartedProcess,
    startedAtMs: number,
  ) => 'done' | 'exited';
  readonly markExiting: (key: RunKey) => 'done' | 'exited';
  readonly finalise: (key: RunKey, settlement: Settlement) => 'done' | 'exited';
}

const insertSql = `INSERT INTO runs (run_id, state, epoch, owner_instance_no, owner_generation,
  session_id, backend_id, labels, scope_key, mode, command, cwd, lease_id, boot_id, pid_namespace,
  owner_loss, leftovers, overall_ms, no_output_ms, created_at_ms, updated_at_ms)
  VALUES (?, 0, ${firstEpoch}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (run_id) DO NOTHING`;

/* A cancel may have been committed between the spawn and this: `exiting` stays. */
const runningSql = `UPDATE runs SET state = max(state, 1), pid = ?, process_group_id = ?,
  start_ticks = ?, shim_pid = ?, shim_start_ticks = ?, run_dir_dev = ?, run_dir_ino = ?,
  started_at_ms = ?, updated_at_ms = ? WHERE run_id = ? AND epoch = ? AND state < 3`;

const exitingSql = `UPDATE runs SET state = 2, updated_at_ms = ?
  WHERE run_id = ? AND epoch = ? AND state < 3`;

const finaliseSql = `UPDATE runs SET state = 3, pid = coalesce(?, pid),
  process_group_id = coalesce(?, process_group_id), start_ticks = coalesce(?, start_ticks),
  shim_pid = coalesce(?, shim_pid), shim_start_ticks = coalesce(?, shim_start_ticks),
  run_dir_dev = coalesce(?, run_dir_dev), run_dir_ino = coalesce(?, run_dir_ino),
  started_at_ms = coalesce(?, started_at_ms), exit = ?, exit_reason = ?, ended_at_ms = ?,
  tree_ended_at_ms = ?, journal_bytes = ?, last_output_at_ms = coalesce(?, last_output_at_ms),
  updated_at_ms = ? WHERE run_id = ? AND epoch = ? AND state < 3 RETURNING input_offset`;

export function createRunWrites(statements: Statements, wallMs: () => number): RunWrites {
  const { run, one } = statements;

  return {
    insertStarting: (input, owner) => {
      const nowMs = wallMs();
      const inserted = guardInsert(input, () =>
        run(insertSql, [
          input.runId,
          owner.instanceNo,
          owner.generation,
          input.sessionId,
          input.backendId,
          formatLabels(input.labels),
          input.scopeKey,
          input.mode,
          input.command,
          input.cwd,
          input.leaseId,
          owner.bootId,
          owner.pidNamespace,
          input.ownerLoss,
          input.leftovers,
          input.deadlines.overallMs,
          input.deadlines.noOutputMs,
          nowMs,
          nowMs,
        ]),
      );
      if (inserted === 0) return 'exists';
      insertLabels(statements, input.runId, input.labels);
      return 'inserted';
    },

    markRunning: (key, process, startedAtMs) => {
      const values = [...evidenceOf(process), startedAtMs, wallMs(), key.runId, key.epoch];
      return run(runningSql, values) === 1 ? 'done' : refusalOf(statements, key);
    },

    markExiting: (key) => {
      const changed = run(exitingSql, [wallMs(), key.runId, key.epoch]);
      return changed === 1 ? 'done' : refusalOf(statements, key);
    },

    finalise: (key, { exit, isTreeGone, journalBytes, lastOutputAtMs, process }) => {
      const treeEndedAtMs = isTreeGone ? (exit.treeEnd?.endedAtMs ?? exit.endedAtMs) : undefined;
      const started = [...evidenceOf(process), exit.startedAtMs];
      const settled = [formatExit(exit), exit.reason, exit.endedAtMs, treeEndedAtMs, journalBytes];
      const values = [...started, ...settled, lastOutputAtMs, wallMs(), key.runId, key.epoch];
      const row = one(finaliseSql, values);
      if (row === undefined) return refusalOf(statements, key);
      // Only a run that was sent something through the outbox can have an entry there.
      if (row['input_offset'] !== 0) run('DELETE FROM input_outbox WHERE run_id = ?', [key.runId]);
      return 'done';
    },
  };
}

function evidenceOf(process: StartedProcess | undefined): readonly (number | undefined)[] {
  return [
    process?.pid,
    process?.processGroupId,
    process?.startTicks,
    process?.shimPid,
    process?.shimStartTicks,
    process?.runDirDev,
    process?.runDirIno,
  ];
}

function guardInsert({ runId, scopeKey }: NewRun, insert: () => number): number {
  try {
    return insert();
  } catch (error) {
    if (isHeldByApproval(error)) {
      throw new SupervisorError('run-held', `run ${runId} is not allowed to start`, {
        cause: error,
        detail: { runId },
        hint: 'A person has to allow it first, and an approval is good for one start.',
      });
    }
    // The only constraint an insert can break beside the run id, which DO NOTHING covers.
    if (scopeKey === undefined || sqliteFailureOf(error) !== 'constraint') throw error;
    throw new SupervisorError('scope-busy', 'a live run holds this scope', {
      cause: error,
      detail: { scopeKey },
      hint: 'Wait for it, cancel it, or spawn with replaceExisting.',
    });
  }
}
