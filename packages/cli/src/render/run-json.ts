/*
 * Runs as JSON, in the shape that docs/cli-json.md promises to keep: fields may be
 * added, never renamed or removed. Absence is null, instants are ISO 8601 in UTC.
 */
import type { RunExit, Stall } from '@clawdfather/supervisor';
import { exitJson as commonExitJson } from '@clawdfather/supervisor/exit-json';
import { directoryOf, hostNameOf, nameLabel } from '@clawdfather/supervisor/origins';
import { exitCodeOf } from '../exit-status.ts';
import type { Run, RunDetails } from '../place/place.ts';
import { formatInstant } from './duration.ts';

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json };

export interface RunParts {
  readonly stall?: Stall | undefined;
  /* Of one run; lists have none. */
  readonly details?: RunDetails;
}

export function runJson(record: Run, { stall, details }: RunParts = {}): Json {
  return {
    id: record.runId,
    name: record.labels[nameLabel] ?? null,
    state: record.state,
    command: record.command,
    cwd: directoryOf(record),
    host: hostNameOf(record.labels),
    mode: record.mode,
    pid: record.pid ?? null,
    sessionId: record.sessionId,
    backendId: record.backendId,
    labels: record.labels,
    createdAt: formatInstant(record.createdAtMs),
    startedAt: instantOrNull(record.startedAtMs),
    lastOutputAt: instantOrNull((details ?? record).lastOutputAtMs),
    timeoutMs: record.deadlines.overallMs ?? null,
    idleTimeoutMs: record.deadlines.noOutputMs ?? null,
    leftovers: record.leftovers,
    ownerLoss: record.ownerLoss,
    owner: {
      instanceId: record.ownerInstanceId,
      generation: record.ownerGeneration,
      epoch: record.epoch,
    },
    stalled: stall ?? null,
    shimPid: details?.shimPid ?? null,
    graceMs: details?.graceMs ?? null,
    limits: details?.limits === undefined ? null : limitsJson(details.limits),
    outputBytes: details?.outputBytes ?? null,
    droppedBytes: details?.droppedBytes ?? null,
    exit: record.exit === undefined ? null : exitJson(record.exit),
    treeEndedAt: instantOrNull(record.treeEndedAtMs),
  };
}

function limitsJson(limits: NonNullable<RunDetails['limits']>): Json {
  const asked = Object.entries(limits).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(asked);
}

/* With the code that `clf run` exits with. */
export function exitJson(exit: RunExit) {
  const { reason, code, signal, ...rest } = commonExitJson(exit);
  return { reason, code, signal, exitCode: exitCodeOf(exit), ...rest };
}

/* One value per line, the form every `--json` stream has. */
export function jsonLine(value: Json): string {
  return `${JSON.stringify(value)}\n`;
}

function instantOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : formatInstant(ms);
}
