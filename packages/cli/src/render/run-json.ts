/*
 * Runs as JSON, in the shape that docs/cli-json.md promises to keep: fields may be
 * added, never renamed or removed. Absence is null, instants are ISO 8601 in UTC.
 */
import type { RunExit, Stall } from '@clawdfather/supervisor';
import { nameLabel } from '@clawdfather/supervisor/origins';
import { exitCodeOf } from '../exit-status.ts';
import type { Run } from '../place/place.ts';
import { formatInstant } from './duration.ts';

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json };

export function runJson(record: Run, stall?: Stall): Json {
  return {
    id: record.runId,
    name: record.labels[nameLabel] ?? null,
    state: record.state,
    command: record.command,
    cwd: record.cwd,
    mode: record.mode,
    pid: record.pid ?? null,
    sessionId: record.sessionId,
    backendId: record.backendId,
    labels: record.labels,
    createdAt: formatInstant(record.createdAtMs),
    startedAt: instantOrNull(record.startedAtMs),
    lastOutputAt: instantOrNull(record.lastOutputAtMs),
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
    exit: record.exit === undefined ? null : exitJson(record.exit),
    treeEndedAt: instantOrNull(record.treeEndedAtMs),
  };
}

export function exitJson(exit: RunExit): Json {
  return {
    reason: exit.reason,
    code: exit.code ?? null,
    signal: exit.signal ?? null,
    exitCode: exitCodeOf(exit),
    actor: exit.actor ?? null,
    detail: exit.detail ?? null,
    coreDumped: exit.coreDumped,
    startedAt: instantOrNull(exit.startedAtMs),
    endedAt: formatInstant(exit.endedAtMs),
    durationMs: exit.durationMs ?? null,
    usage:
      exit.usage === undefined
        ? null
        : {
            userMs: exit.usage.userUs / 1_000,
            systemMs: exit.usage.systemUs / 1_000,
            maxRssBytes: exit.usage.maxRssBytes,
            readBytes: exit.usage.readBytes,
            writeBytes: exit.usage.writeBytes,
          },
    killed: { ...exit.killed },
    escapees: exit.escapees,
    leftovers: exit.leftovers.map((one) => ({ pid: one.pid, command: one.comm })),
    survivors: exit.survivors.map((one) => ({ pid: one.pid, command: one.comm })),
    undrainedBytes: exit.undrainedBytes,
    failure: exit.failure === undefined ? null : { ...exit.failure },
    cursor: exit.cursor,
  };
}

/* One value per line, the form every `--json` stream has. */
export function jsonLine(value: Json): string {
  return `${JSON.stringify(value)}\n`;
}

function instantOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : formatInstant(ms);
}
