/*
 * Everything that changes a run's row. All of it runs inside a transaction of
 * the commit queue, so it may run twice and touches nothing else (Q1).
 *
 * Every statement on an existing run compares the epoch (O3). When no row
 * changed, `refusal` finds out why: the run is unknown, somebody else has a
 * newer epoch, or it had exited already. Only the last is an ordinary outcome;
 * the other two are thrown, so that an owner who lost a run cannot go on.
 *
 * A run's hot path is three statements: insertStarting, markRunning, finalise.
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
import { deleteRunRow, insertLabels } from './labels.ts';
import type { OwnerHandle } from './owner-writes.ts';
import { exitedNumber, formatExit, formatLabels, number } from './rows.ts';
import { sqliteFailureOf } from './sqlite-error.ts';
import type { Statements } from './statements.ts';

/** Which run, and with what right (O3). */
export interface RunKey {
  readonly runId: RunId;
  readonly epoch: number;
}

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

export interface RunChanges {
  readonly ownerLoss?: OwnerLossPolicy;
  readonly leftovers?: LeftoversPolicy;
  readonly deadlines?: RunRecord['deadlines'];
  readonly lastOutputAtMs?: number;
}

/** The epoch a run begins with; every taking adds one. */
export const firstEpoch = 1;

export interface RunWrites {
  /** `exists`: the id is known, spawning it again is the same run (S1). Throws `scope-busy`. */
  insertStarting(run: NewRun, owner: OwnerHandle): 'inserted' | 'exists';
  markRunning(key: RunKey, process: StartedProcess, startedAtMs: number): 'done' | 'exited';
  markExiting(key: RunKey): 'done' | 'exited';
  finalise(key: RunKey, settlement: Settlement): 'done' | 'exited';
  markTreeGone(key: RunKey, atMs: number): void;
  change(key: RunKey, changes: RunChanges): void;
  /** Hidden from lists until gc takes it. */
  markRemoved(key: RunKey): void;
  /** Forgets a run whose tree is gone; `open` when it is not. */
  deleteRun(key: RunKey): 'done' | 'open';
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
  const { run, one } = statements;

  /** Why a fenced statement found no row. Throws unless the run has simply exited. */
  function refusal({ runId, epoch }: RunKey): 'exited' {
    const row = one('SELECT epoch, state FROM runs WHERE run_id = ?', runId);
    if (row === undefined) throw notFound(runId);
    const current = number(row, 'epoch');
    if (current !== epoch) throw stale(runId, { epoch, current });
    return 'exited';
  }

  return {
    insertStarting: (input, owner) => {
      const nowMs = wallMs();
      const inserted = guardScope(input.scopeKey, () =>
        run(
          insertSql,
          ...[input.runId, owner.instanceNo, owner.generation],
          ...[input.sessionId, input.backendId, formatLabels(input.labels)],
          ...[input.scopeKey ?? null, input.mode, input.command, input.cwd, input.leaseId],
          ...[owner.bootId, owner.pidNamespace, input.ownerLoss, input.leftovers],
          ...[input.deadlines.overallMs ?? null, input.deadlines.noOutputMs ?? null],
          ...[nowMs, nowMs],
        ),
      );
      if (inserted === 0) return 'exists';
      insertLabels(statements, input.runId, input.labels);
      return 'inserted';
    },

    markRunning: (key, process, startedAtMs) =>
      run(
        runningSql,
        ...[process.pid, process.processGroupId, process.startTicks],
        ...[process.shimPid, process.shimStartTicks, process.runDirDev, process.runDirIno],
        ...[startedAtMs, wallMs(), key.runId, key.epoch],
      ) === 1
        ? 'done'
        : refusal(key),

    markExiting: (key) =>
      run(exitingSql, wallMs(), key.runId, key.epoch) === 1 ? 'done' : refusal(key),

    finalise: (key, { exit, isTreeGone, journalBytes, lastOutputAtMs }) => {
      const changed = run(
        finaliseSql,
        ...[formatExit(exit), exit.reason, exit.endedAtMs],
        ...[isTreeGone ? exit.endedAtMs : null, journalBytes ?? null, lastOutputAtMs ?? null],
        ...[wallMs(), key.runId, key.epoch],
      );
      if (changed === 0) return refusal(key);
      run('DELETE FROM input_outbox WHERE run_id = ?', key.runId);
      return 'done';
    },

    markTreeGone: (key, atMs) => {
      const changed = run(
        `UPDATE runs SET tree_ended_at_ms = coalesce(tree_ended_at_ms, ?), updated_at_ms = ?
         WHERE run_id = ? AND epoch = ? AND state = 3`,
        ...[atMs, wallMs(), key.runId, key.epoch],
      );
      if (changed === 0) refusal(key);
    },

    change: (key, { ownerLoss, leftovers, deadlines, lastOutputAtMs }) => {
      const changed = run(
        `UPDATE runs SET owner_loss = coalesce(?, owner_loss), leftovers = coalesce(?, leftovers),
         overall_ms = iif(?, ?, overall_ms), no_output_ms = iif(?, ?, no_output_ms),
         last_output_at_ms = coalesce(?, last_output_at_ms), updated_at_ms = ?
         WHERE run_id = ? AND epoch = ?`,
        ...[ownerLoss ?? null, leftovers ?? null],
        ...[Number(deadlines !== undefined), deadlines?.overallMs ?? null],
        ...[Number(deadlines !== undefined), deadlines?.noOutputMs ?? null],
        ...[lastOutputAtMs ?? null, wallMs(), key.runId, key.epoch],
      );
      if (changed === 0) refusal(key);
    },

    markRemoved: (key) => {
      const changed = run(
        'UPDATE runs SET removed_at_ms = coalesce(removed_at_ms, ?) WHERE run_id = ? AND epoch = ?',
        ...[wallMs(), key.runId, key.epoch],
      );
      if (changed === 0) refusal(key);
    },

    deleteRun: (key) => {
      const row = one('SELECT * FROM runs WHERE run_id = ?', key.runId);
      if (row === undefined) throw notFound(key.runId);
      const current = number(row, 'epoch');
      if (current !== key.epoch) throw stale(key.runId, { epoch: key.epoch, current });
      if (number(row, 'state') !== exitedNumber || row['tree_ended_at_ms'] === null) return 'open';
      deleteRunRow(statements, row);
      return 'done';
    },
  };
}

function guardScope(scopeKey: string | undefined, insert: () => number): number {
  try {
    return insert();
  } catch (error) {
    // The only constraint an insert can break beside the run id, which DO NOTHING covers.
    if (scopeKey === undefined || sqliteFailureOf(error) !== 'constraint') throw error;
    throw new SupervisorError('scope-busy', 'a live run holds this scope', {
      cause: error,
      detail: { scopeKey },
      hint: 'Wait for it, cancel it, or spawn with replaceExisting.',
    });
  }
}

export function notFound(runId: string): SupervisorError {
  return new SupervisorError('run-not-found', `no run ${runId} is known`, { detail: { runId } });
}

export function stale(
  runId: string,
  epochs: { readonly epoch: number; readonly current: number },
): SupervisorError {
  return new SupervisorError('epoch-stale', `run ${runId} has a newer owner`, {
    detail: { runId, ...epochs },
  });
}
