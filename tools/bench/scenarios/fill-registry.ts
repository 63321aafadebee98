/*
 * Fills a state directory's registry with finished runs.
 *
 * Past the package's door on purpose: a hundred thousand real runs would take minutes, so the registry's own writes
 * are used, the same three that every run goes through, and nothing is made up behind its back.
 */
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { readHost } from '../../../packages/supervisor/src/evidence/host.ts';
import type { OwnerHandle } from '../../../packages/supervisor/src/registry/owners.ts';
import {
  openRegistry,
  type RegistryTransaction,
} from '../../../packages/supervisor/src/registry/registry.ts';
import { firstEpoch } from '../../../packages/supervisor/src/registry/run-writes.ts';
import { openStateDir } from '../../../packages/supervisor/src/registry/state-dir.ts';
import type { Cursor, RunExit, RunId } from '@clawdfather/supervisor';

/* Writes that are queued together share commits; more would only fill the queue. */
const runsAtOnce = 2_000;
const sessions = 50;

export async function fillRegistry(stateDirPath: string, runs: number): Promise<void> {
  const clock = createSystemClock();
  const random = createSystemRandom();
  const host = readHost();
  const stateDir = await openStateDir(stateDirPath);
  const { bootId } = host;
  const registry = await openRegistry({
    stateDir,
    clock,
    random,
    bootId,
    bootMs: () => host.bootMs(),
  });
  try {
    const { owner } = await registry.openOwner(host);
    for (let done = 0; done < runs; done += runsAtOnce) {
      const part = Math.min(runsAtOnce, runs - done);
      const writes = Array.from({ length: part }, (_, index) => {
        const runId = random.id() as RunId;
        const facts = { runId, number: done + index, endedAtMs: clock.wallMs() };
        return registry.write((tx) => writeFinishedRun(tx, owner, facts));
      });
      await Promise.all(writes);
    }
    await registry.releaseOwner(owner);
  } finally {
    await registry.close();
  }
}

interface Facts {
  readonly runId: RunId;
  readonly number: number;
  readonly endedAtMs: number;
}

function writeFinishedRun(tx: RegistryTransaction, owner: OwnerHandle, facts: Facts): void {
  const { runId, number, endedAtMs } = facts;
  const key = { runId, epoch: firstEpoch };
  const newRun = {
    runId,
    sessionId: `session-${number % sessions}`,
    backendId: 'bench',
    labels: {},
    scopeKey: undefined,
    mode: 'child',
    command: `/bin/echo ${number}`,
    cwd: '/',
    leaseId: runId,
    ownerLoss: 'adopt',
    leftovers: 'fail',
    deadlines: { overallMs: 60_000, noOutputMs: undefined },
  } as const;
  const started = {
    pid: 2 ** 22 - 1,
    processGroupId: 2 ** 22 - 1,
    startTicks: number,
    shimPid: 2 ** 22 - 1,
    shimStartTicks: number,
    runDirDev: 1,
    runDirIno: number,
    startedAtMs: endedAtMs,
  };
  tx.insertStarting(newRun, owner);
  tx.markRunning(key, started, endedAtMs);
  const exit = exitOf(runId, endedAtMs);
  tx.finalise(key, { exit, isTreeGone: true, journalBytes: 900, lastOutputAtMs: undefined });
}

function exitOf(runId: RunId, endedAtMs: number): RunExit {
  return {
    runId,
    reason: 'exit',
    code: 0,
    signal: undefined,
    coreDumped: false,
    actor: undefined,
    detail: undefined,
    hostCause: undefined,
    startedAtMs: endedAtMs,
    endedAtMs,
    lastSeenAtMs: undefined,
    durationMs: 1,
    usage: { userUs: 500, systemUs: 500, maxRssBytes: 2 ** 20, readBytes: 0, writeBytes: 0 },
    killed: { pid: 0, pgid: 0, cgroup: 0 },
    escapees: 0,
    leftovers: [],
    survivors: [],
    undrainedBytes: 0,
    failure: undefined,
    cursor: 'p0.0' as Cursor,
    treeEnd: undefined,
  };
}
