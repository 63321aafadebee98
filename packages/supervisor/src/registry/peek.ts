/*
 * A quick look at the registry for a caller that only wants names, such as a shell that completes words at every press
 * of a key. It opens the file read-only, owns nothing, reconciles nothing and writes nothing.
 *
 * So what it returns may be old (a run that died with its shim still counts as running), and where the file is absent,
 * busy or of another version it returns nothing. To act on a run, open the supervisor.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { refuseWithoutIndexRoom } from '@clawdfather/sqlite';
import { agentBackend, sshBackend } from '../origins.ts';
import type { RunId } from '../types.ts';

export interface GlimpsedRun {
  readonly runId: string;
  readonly command: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Something of it lives, as far as is recorded. */
  readonly isAlive: boolean;
}

export interface GlimpsedApproval {
  readonly approvalId: string;
  readonly why: string;
}

export interface GlimpsedRule {
  readonly ruleId: string;
  readonly program: string;
}

export interface RunGlance {
  /** Only those of which something lives. */
  readonly isAliveOnly: boolean;
  readonly limit: number;
}

/** The newest first, without connections to SSH hosts, which nobody has started. */
export function glimpseRuns(
  stateDir: string,
  { isAliveOnly, limit }: RunGlance,
): readonly GlimpsedRun[] {
  const alive = isAliveOnly ? 'AND tree_ended_at_ms IS NULL' : '';
  return glimpse(
    stateDir,
    `SELECT run_id, command, labels, tree_ended_at_ms FROM runs
     WHERE removed_at_ms IS NULL AND +backend_id <> '${sshBackend}' ${alive} ORDER BY seq DESC LIMIT ?`,
    limit,
  ).map((row) => ({
    runId: String(row['run_id']),
    command: String(row['command']),
    labels: labelsOf(row['labels']),
    isAlive: row['tree_ended_at_ms'] === null,
  }));
}

/** Whether an agent lives here, as far as is recorded. */
export function glimpseAgent(stateDir: string): boolean {
  const sql = `SELECT 1 FROM runs WHERE removed_at_ms IS NULL AND tree_ended_at_ms IS NULL
    AND +backend_id = '${agentBackend}' LIMIT 1`;
  return glimpse(stateDir, sql).length > 0;
}

/** Those that are not decided yet, the newest first. */
export function glimpseApprovals(stateDir: string, limit: number): readonly GlimpsedApproval[] {
  return glimpse(
    stateDir,
    'SELECT approval_id, why FROM approvals WHERE state = 0 ORDER BY seq DESC LIMIT ?',
    limit,
  ).map((row) => ({ approvalId: String(row['approval_id']), why: String(row['why']) }));
}

/** Those that hold, the newest first. */
export function glimpseRules(stateDir: string, limit: number): readonly GlimpsedRule[] {
  return glimpse(
    stateDir,
    'SELECT rule_id, named_path FROM allow_rules WHERE revoked_at_ms IS NULL ORDER BY seq DESC LIMIT ?',
    limit,
  ).map((row) => ({ ruleId: String(row['rule_id']), program: String(row['named_path']) }));
}

/** The run that this shim holds; `undefined` also where the registry cannot be read. */
export function glimpseRunOfShim(
  stateDir: string,
  { pid, startTicks }: { readonly pid: number; readonly startTicks: number },
): { readonly runId: RunId; readonly labels: GlimpsedRun['labels'] } | undefined {
  const [row] = glimpse(
    stateDir,
    'SELECT run_id, labels FROM runs WHERE shim_pid = ? AND shim_start_ticks = ?',
    pid,
    startTicks,
  );
  if (row === undefined) return undefined;
  return { runId: String(row['run_id']) as RunId, labels: labelsOf(row['labels']) };
}

/** The newest run whose command has, or had, this pid; `undefined` also where the registry cannot be read. */
export function glimpseRunOfPid(
  stateDir: string,
  pid: number,
): { readonly ownerGeneration: number; readonly isAlive: boolean } | undefined {
  const [row] = glimpse(
    stateDir,
    'SELECT owner_generation, tree_ended_at_ms FROM runs WHERE pid = ? ORDER BY seq DESC LIMIT 1',
    pid,
  );
  if (row === undefined) return undefined;
  return {
    ownerGeneration: Number(row['owner_generation']),
    isAlive: row['tree_ended_at_ms'] === null,
  };
}

function glimpse(
  stateDir: string,
  sql: string,
  ...values: readonly number[]
): readonly Record<string, unknown>[] {
  try {
    const file = join(stateDir, 'registry.db');
    refuseWithoutIndexRoom(file);
    using db = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    return db.prepare(sql).all(...values);
  } catch {
    // Nothing to see is no failure of a glance (see above).
    return [];
  }
}

function labelsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'string') return {};
  const labels: unknown = JSON.parse(value);
  return typeof labels === 'object' && labels !== null ? (labels as Record<string, string>) : {};
}
