/*
 * Records and exits for tests of rendering: complete, with what matters overridden.
 */
import type { Cursor, RunExit, RunId, RunRecord } from '@clawdfather/supervisor';

export const runId = (text: string): RunId => text as RunId;
export const cursor = (text: string): Cursor => text as Cursor;

export function exitWith(over: Partial<RunExit> = {}): RunExit {
  return {
    runId: runId('3k9qv7hd2m5x8abc'),
    reason: 'exit',
    code: 0,
    signal: undefined,
    coreDumped: false,
    actor: undefined,
    detail: undefined,
    hostCause: undefined,
    startedAtMs: 1_000,
    endedAtMs: 3_500,
    lastSeenAtMs: undefined,
    durationMs: 2_500,
    usage: undefined,
    killed: { pid: 0, pgid: 0, cgroup: 0 },
    escapees: 0,
    leftovers: [],
    survivors: [],
    undrainedBytes: 0,
    failure: undefined,
    cursor: cursor('2k.0'),
    treeEnd: undefined,
    ...over,
  };
}

export function recordWith(over: Partial<RunRecord> = {}): RunRecord {
  return {
    runId: runId('3k9qv7hd2m5x8abc'),
    sessionId: 'cli',
    backendId: 'cli',
    labels: {},
    scopeKey: undefined,
    state: 'running',
    mode: 'child',
    command: 'sleep 60',
    cwd: '/tmp',
    pid: 4_242,
    processGroupId: 4_242,
    jobId: undefined,
    startTicks: 100,
    bootId: 'boot',
    pidNamespace: 1,
    shimPid: 4_241,
    shimStartTicks: 99,
    runDirDev: 1,
    runDirIno: 2,
    createdAtMs: 1_000,
    updatedAtMs: 1_000,
    startedAtMs: 1_000,
    lastOutputAtMs: undefined,
    ownerInstanceId: 'instance',
    ownerGeneration: 1,
    leaseId: 'lease',
    leaseExpiresAtMs: 0,
    epoch: 1,
    ownerLoss: 'adopt',
    leftovers: 'keep',
    deadlines: { overallMs: undefined, noOutputMs: undefined },
    exit: undefined,
    treeEndedAtMs: undefined,
    journalBytes: undefined,
    removedAtMs: undefined,
    ...over,
  };
}
