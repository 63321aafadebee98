/*
 * Between SQL rows and records. Rows are parsed here and trusted afterwards:
 * `null` becomes `undefined`, numbers become states, JSON becomes
 * an exit. What we did not write ourselves cannot be in these columns, so a
 * wrong type means a damaged or hand-edited file and is reported as that.
 */
import type { Row } from '@clawdfather/sqlite';
import { SupervisorError } from '../errors.ts';
import { runStates } from '../run-states.ts';
import type { RunExit } from '../run-end.ts';
import type { SpawnInput } from '../spawn-input.ts';
import type { LeftoversPolicy, OwnerLossPolicy, RunId, RunRecord } from '../types.ts';

/** Everything `parseRun` needs; the owner's lease comes from the owner's row (O1). */
export const selectRuns = selectRunsFrom('runs r');
/** The same for what is live or has a tree. Named, because the planner may prefer to sort less. */
export const selectOpenRuns = selectRunsFrom('runs r INDEXED BY runs_open');
/** The same for those with a label, in its order: a common label then costs what is shown, not all that have it. */
export const selectLabelledRuns = selectRunsFrom(
  'run_labels l CROSS JOIN runs r ON r.seq = l.seq AND l.name = ? AND l.value = ?',
);

function selectRunsFrom(source: string): string {
  return `SELECT r.*, i.instance_id AS owner_instance_id, o.lease_expires_at_ms FROM ${source}
    JOIN instances i ON i.instance_no = r.owner_instance_no
    LEFT JOIN owners o
      ON o.instance_no = r.owner_instance_no AND o.generation = r.owner_generation`;
}

export function parseRun(row: Row): RunRecord {
  const runId = text(row, 'run_id') as RunId;
  const state = runStates[number(row, 'state')];
  if (state === undefined) throw damaged('state');
  return {
    runId,
    sessionId: text(row, 'session_id'),
    backendId: text(row, 'backend_id'),
    labels: parseLabels(optionalText(row, 'labels')),
    scopeKey: optionalText(row, 'scope_key'),
    state,
    mode: text(row, 'mode') as SpawnInput['mode'],
    command: text(row, 'command'),
    cwd: text(row, 'cwd'),
    pid: optionalNumber(row, 'pid'),
    processGroupId: optionalNumber(row, 'process_group_id'),
    jobId: optionalText(row, 'job_id'),
    startTicks: optionalNumber(row, 'start_ticks'),
    bootId: text(row, 'boot_id'),
    pidNamespace: number(row, 'pid_namespace'),
    shimPid: optionalNumber(row, 'shim_pid'),
    shimStartTicks: optionalNumber(row, 'shim_start_ticks'),
    runDirDev: optionalNumber(row, 'run_dir_dev'),
    runDirIno: optionalNumber(row, 'run_dir_ino'),
    createdAtMs: number(row, 'created_at_ms'),
    updatedAtMs: number(row, 'updated_at_ms'),
    startedAtMs: optionalNumber(row, 'started_at_ms'),
    lastOutputAtMs: optionalNumber(row, 'last_output_at_ms'),
    ownerInstanceId: text(row, 'owner_instance_id'),
    ownerGeneration: number(row, 'owner_generation'),
    leaseId: text(row, 'lease_id'),
    // A run that has exited has no lease, and neither has one whose owner was forgotten.
    leaseExpiresAtMs: state === 'exited' ? 0 : (optionalNumber(row, 'lease_expires_at_ms') ?? 0),
    epoch: number(row, 'epoch'),
    ownerLoss: text(row, 'owner_loss') as OwnerLossPolicy,
    leftovers: text(row, 'leftovers') as LeftoversPolicy,
    deadlines: {
      overallMs: optionalNumber(row, 'overall_ms'),
      noOutputMs: optionalNumber(row, 'no_output_ms'),
    },
    exit: parseExit(runId, optionalText(row, 'exit')),
    treeEndedAtMs: optionalNumber(row, 'tree_ended_at_ms'),
    journalBytes: optionalNumber(row, 'journal_bytes'),
    removedAtMs: optionalNumber(row, 'removed_at_ms'),
  };
}

/** Without the run id, which the row has already. */
export function formatExit(exit: RunExit): string {
  return JSON.stringify({ ...exit, runId: undefined });
}

/** JSON drops `undefined`; the record's keys are all there again afterwards. */
function parseExit(runId: RunId, json: string | undefined): RunExit | undefined {
  if (json === undefined) return undefined;
  const exit = JSON.parse(json) as RunExit;
  return {
    runId,
    reason: exit.reason,
    code: exit.code,
    signal: exit.signal,
    coreDumped: exit.coreDumped,
    actor: exit.actor,
    detail: exit.detail,
    hostCause: exit.hostCause,
    startedAtMs: exit.startedAtMs,
    endedAtMs: exit.endedAtMs,
    lastSeenAtMs: exit.lastSeenAtMs,
    durationMs: exit.durationMs,
    usage: exit.usage,
    killed: exit.killed,
    escapees: exit.escapees,
    leftovers: exit.leftovers,
    survivors: exit.survivors,
    undrainedBytes: exit.undrainedBytes,
    failure: exit.failure,
    cursor: exit.cursor,
    treeEnd: exit.treeEnd && { ...exit.treeEnd, actor: exit.treeEnd.actor },
  };
}

const noLabels: Readonly<Record<string, string>> = Object.freeze({});

/** `undefined` when there are none: most runs have none, and NULL costs nothing. */
export function formatLabels(labels: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(labels).length === 0 ? undefined : JSON.stringify(labels);
}

export function parseLabels(json: string | undefined): Readonly<Record<string, string>> {
  return json === undefined ? noLabels : (JSON.parse(json) as Record<string, string>);
}

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw damaged(column);
  return value;
}

export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw damaged(column);
  return value;
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null || row[column] === undefined ? undefined : text(row, column);
}

export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null || row[column] === undefined ? undefined : number(row, column);
}

function damaged(column: string): SupervisorError {
  return new SupervisorError('registry-corrupt', `the registry holds a wrong value in ${column}`, {
    hint: 'Run `clawdfather doctor --rebuild`: the registry is an index of the run directories.',
    detail: { column },
  });
}
