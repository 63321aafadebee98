/*
 * The three writes of every run's life, and the one of a cancel: insertStarting,
 * markRunning, markExiting, finalise. All of it runs inside a transaction of the
 * commit queue, so it may run twice and touches nothing else (Q1), and every
 * statement on an existing run is fenced by its epoch (fence.ts).
 *
 * This is the hot path: one statement each, no reads when nothing is wrong.
 */
import { SupervisorError } from '../errors.ts';
import type { StartedProcess } from '../lifecycle/run-lifecycle.ts';
import type {
  LeftoversPolicy,
  OwnerLossPolicy,
  RunExit,
  RunId,
  RunRecord,
  SpawnInput,
} from '../types.ts';
import { refusalOf } from './fence.ts';
import type { RunKey } from './fence.ts';
import { insertLabels } from './labels.ts';
import type { OwnerHandle } from './owners.ts';
import { formatExit, formatLabels } from './rows.ts';
import { isHeldByApproval, sqliteFailureOf } from './sqlite-error.ts';
import type { Statements } from './statements.ts';

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

const finaliseSql = `UPDATE runs SET state = 3, exit = ?, exit_reason = ?, ended_at_ms = ?,
  tree_ended_at_ms = ?, journal_bytes = ?, last_output_at_ms = coalesce(?, last_output_at_ms),
  updated_at_ms = ? WHERE run_id = ? AND epoch = ? AND state < 3`;

export function createRunWrites(statements: Statements, wallMs: () => number): RunWrites {
  const { run } = statements;
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
      const { pid, processGroupId, startTicks } = process;
      const { shimPid, shimStartTicks, runDirDev, runDirIno } = process;
      const evidence = [pid, processGroupId, startTicks, shimPid, shimStartTicks];
      const times = [startedAtMs, wallMs()];
      const changed = run(runningSql, [
        ...evidence,
        runDirDev,
        runDirIno,
        ...times,
        key.runId,
        key.epoch,
      ]);
      return changed === 1 ? 'done' : refusalOf(statements, key);
    },

    markExiting: (key) => {
      const changed = run(exitingSql, [wallMs(), key.runId, key.epoch]);
      return changed === 1 ? 'done' : refusalOf(statements, key);
    },

    finalise: (key, { exit, isTreeGone, journalBytes, lastOutputAtMs }) => {
      const treeEndedAtMs = isTreeGone ? exit.endedAtMs : undefined;
      const settled = [formatExit(exit), exit.reason, exit.endedAtMs, treeEndedAtMs, journalBytes];
      const values = [...settled, lastOutputAtMs, wallMs(), key.runId, key.epoch];
      if (run(finaliseSql, values) === 0) return refusalOf(statements, key);
      run('DELETE FROM input_outbox WHERE run_id = ?', [key.runId]);
      return 'done';
    },
  };
}

function guardInsert({ runId, scopeKey }: NewRun, insert: () => number): number {
  try {
    return insert();
  } catch (error) {
    if (isHeldByApproval(error)) {
      throw new SupervisorError('run-held', `run ${runId} is not allowed to start`, {
        cause: error,
        detail: { runId },
        hint: 'Somebody has to allow it first, and an approval is good for one start.',
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
