/*
 * A run on the wire: the tools' summary, and beside it what a person wants to know about one run.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { ProcessNote, RunExit, RunRecord } from '@clawdfather/supervisor';
import {
  execBackend,
  nameLabel,
  requesterLabel,
  traceLabel,
} from '@clawdfather/supervisor/origins';
import { type ApprovalSummary, summaryOf, summaryOfHeld } from '@clawdfather/tools';
import { formatTime } from '../http/format-time.ts';

export type RunJson = AnswerOf<Api['runs']['get']>;
export type ExitJson = NonNullable<RunJson['exit']>;

export function runJson(record: RunRecord, inputOffset: number): RunJson {
  const { labels, deadlines, exit } = record;
  return {
    ...summaryOf(record),
    name: labels[nameLabel] ?? null,
    labels,
    mode: record.mode,
    sessionId: record.sessionId,
    backendId: record.backendId,
    ownerLoss: record.ownerLoss,
    owner: {
      instanceId: record.ownerInstanceId,
      generation: record.ownerGeneration,
      epoch: record.epoch,
    },
    requester: labels[requesterLabel] ?? record.backendId,
    createdAt: formatTime(record.createdAtMs),
    lastOutputAt: formatTime(record.lastOutputAtMs),
    timeoutMs: deadlines.overallMs ?? null,
    noOutputTimeoutMs: deadlines.noOutputMs ?? null,
    leftoversPolicy: record.leftovers,
    inputOffset,
    traceId: labels[traceLabel] ?? null,
    exit: exit === undefined ? null : exitJson(exit),
    treeEndedAt: formatTime(record.treeEndedAtMs),
  };
}

/* What it will be is in the request; until then there is only what was asked. */
export function heldJson(approval: ApprovalSummary): RunJson {
  return {
    ...summaryOfHeld(approval),
    name: approval.labels[nameLabel] ?? null,
    labels: approval.labels,
    mode: 'child',
    sessionId: '',
    backendId: execBackend,
    ownerLoss: 'adopt',
    owner: { instanceId: '', generation: 0, epoch: 0 },
    requester: approval.requester,
    createdAt: formatTime(approval.createdAtMs),
    lastOutputAt: null,
    timeoutMs: null,
    noOutputTimeoutMs: null,
    leftoversPolicy: 'keep',
    inputOffset: 0,
    traceId: null,
    exit: null,
    treeEndedAt: null,
  };
}

export function exitJson(exit: RunExit): ExitJson {
  const { usage } = exit;
  return {
    reason: exit.reason,
    code: exit.code ?? null,
    signal: exit.signal ?? null,
    actor: exit.actor ?? null,
    detail: exit.detail ?? null,
    coreDumped: exit.coreDumped,
    startedAt: formatTime(exit.startedAtMs),
    endedAt: formatTime(exit.endedAtMs),
    durationMs: exit.durationMs ?? null,
    usage:
      usage === undefined
        ? null
        : {
            userMs: usage.userUs / 1_000,
            systemMs: usage.systemUs / 1_000,
            maxRssBytes: usage.maxRssBytes,
            readBytes: usage.readBytes,
            writeBytes: usage.writeBytes,
          },
    killed: { ...exit.killed },
    escapees: exit.escapees,
    leftovers: exit.leftovers.map(named),
    survivors: exit.survivors.map(named),
    undrainedBytes: exit.undrainedBytes,
    failure: exit.failure === undefined ? null : { ...exit.failure },
    cursor: exit.cursor,
  };
}

function named({ pid, comm }: ProcessNote) {
  return { pid, command: comm };
}
