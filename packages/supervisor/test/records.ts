/*
 * Records for tests: whole and plausible, with what a test cares about replaced.
 */
import type { StartedProcess } from '../src/lifecycle/run-lifecycle.ts';
import type { NewRun } from '../src/registry/run-writes.ts';
import type { RunExit } from '../src/run-end.ts';
import type { Cursor, RunId, RunRecord } from '../src/types.ts';

export const bootA = '11111111-1111-4111-8111-111111111111';
export const bootB = '22222222-2222-4222-8222-222222222222';
export const namespaceA = 4_026_531_836;
export const namespaceB = 4_026_532_999;

export function runIdOf(text: string): RunId {
  return text as RunId;
}

export function exitOf(parts: Partial<RunExit> = {}): RunExit {
  return {
    runId: runIdOf('run1'),
    reason: 'exit',
    code: 0,
    signal: undefined,
    coreDumped: false,
    actor: undefined,
    detail: undefined,
    hostCause: undefined,
    startedAtMs: 1_000,
    endedAtMs: 2_000,
    lastSeenAtMs: undefined,
    durationMs: 1_000,
    usage: { userUs: 1, systemUs: 2, maxRssBytes: 3, readBytes: 4, writeBytes: 5 },
    killed: { pid: 0, pgid: 0, cgroup: 0 },
    escapees: 0,
    leftovers: [],
    survivors: [],
    undrainedBytes: 0,
    failure: undefined,
    cursor: '0.0' as Cursor,
    treeEnd: undefined,
    ...parts,
  };
}

export function processOf(parts: Partial<StartedProcess> = {}): StartedProcess {
  return {
    pid: 500,
    processGroupId: 500,
    startTicks: 9_000,
    shimPid: 499,
    shimStartTicks: 8_999,
    runDirDev: 64_768,
    runDirIno: 1_234,
    startedAtMs: undefined,
    ...parts,
  };
}

export function newRunOf(id: string, parts: Partial<NewRun> = {}): NewRun {
  return {
    runId: runIdOf(id),
    sessionId: 'session',
    backendId: 'backend',
    labels: {},
    scopeKey: undefined,
    mode: 'child',
    command: 'sleep 1',
    cwd: '/',
    leaseId: `lease-of-${id}`,
    ownerLoss: 'adopt',
    leftovers: 'fail',
    deadlines: { overallMs: 60_000, noOutputMs: undefined },
    ...parts,
  };
}

/** A running run of instance `instance-a`, generation 1, in boot A and namespace A. */
export function recordOf(parts: Partial<RunRecord> = {}): RunRecord {
  return {
    ...newRunOf('run1'),
    ...processOf(),
    state: 'running',
    jobId: undefined,
    bootId: bootA,
    pidNamespace: namespaceA,
    createdAtMs: 900,
    updatedAtMs: 1_000,
    startedAtMs: 1_000,
    lastOutputAtMs: undefined,
    ownerInstanceId: 'instance-a',
    ownerGeneration: 1,
    leaseExpiresAtMs: 100_000,
    epoch: 1,
    exit: undefined,
    treeEndedAtMs: undefined,
    journalBytes: undefined,
    removedAtMs: undefined,
    ...parts,
  };
}
