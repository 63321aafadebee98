/*
 * A run on the wire: the tools' summary, and beside it what a person wants to know about one run.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { RunDetail, RunRecord, RunUse } from '@clawdfather/supervisor';
import { exitJson } from '@clawdfather/supervisor/exit-json';
import {
  execBackend,
  nameLabel,
  requesterLabel,
  traceLabel,
} from '@clawdfather/supervisor/origins';
import { type ApprovalSummary, summaryOf, summaryOfHeld } from '@clawdfather/tools';
import { formatTime } from '../http/format-time.ts';

export type RunJson = AnswerOf<Api['runs']['get']>;

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

/* Of one run: its journal has to be looked at. */
export function detailJson(record: RunRecord, detail: RunDetail): Partial<RunJson> {
  return {
    lastOutputAt: formatTime(detail.lastOutputAtMs),
    shimPid: record.shimPid ?? null,
    graceMs: detail.graceMs ?? null,
    limits: { ...detail.limits },
    outputBytes: detail.outputBytes ?? null,
    droppedBytes: detail.droppedBytes,
  };
}

export function useJson(use: RunUse | undefined): Pick<RunJson, 'use'> {
  if (use === undefined) return {};
  const { atMs, outputBytes = null, diskBytes = null, hasCommand: _, ...rest } = use;
  return { use: { at: formatTime(atMs), ...rest, outputBytes, diskBytes } };
}

/* A held run has no record yet, so this shows its request. */
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
