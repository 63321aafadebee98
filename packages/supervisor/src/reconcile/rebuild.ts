/*
 * `doctor --rebuild`: the registry made anew from the run directories (DESIGN: the registry is an index).
 *
 * The old file is moved aside, never deleted. Each directory with a journal becomes a record again: identity from
 * the segment header, what was asked for from `meta`, how it stands from start, exit and end. Epochs become
 * max(registry, shim) + 1 (O3). Directories that cannot be described are left alone and reported.
 */
import { readdirSync } from 'node:fs';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { type JournalScan, scanJournal } from '@clawdfather/shim';
import { selectPlatform } from '../platform.ts';
import { moveRegistryAside } from '../registry/move-aside.ts';
import { openRegistry } from '../registry/registry.ts';
import { openStateDir } from '../registry/state-dir.ts';
import { runDirOf } from '../run/run-files.ts';
import { parseMeta, type RunMeta } from '../run/run-meta.ts';
import { runExitOf } from '../run/run-exit.ts';
import { isRunIdText } from '../run/check-spawn-input.ts';
import { startedProcessOf } from '../run/shim-news.ts';
import type { RunExit, RunId, RunRecord } from '../types.ts';

export interface RebuildReport {
  readonly movedAside: string | undefined;
  readonly recovered: readonly RunId[];
  readonly skipped: readonly { readonly name: string; readonly why: string }[];
}

export interface RebuildDeps {
  readonly stateDir: string;
  readonly platform?: string;
  readonly onProgress?: (done: number, total: number) => void;
}

export async function rebuildRegistry(deps: RebuildDeps): Promise<RebuildReport> {
  const clock = createSystemClock();
  const host = selectPlatform(deps.platform ?? process.platform).readHost();
  const stateDir = await openStateDir(deps.stateDir);
  const movedAside = await moveRegistryAside(stateDir, clock.wallMs());
  const registry = await openRegistry({
    stateDir,
    clock,
    random: createSystemRandom(),
    bootId: host.bootId,
    bootMs: () => host.bootMs(),
  });
  const recovered: RunId[] = [];
  const skipped: { name: string; why: string }[] = [];
  try {
    const { owner } = await registry.openOwner(host);
    const names = readdirSync(stateDir.runsDir);
    for (const [index, name] of names.entries()) {
      const found = describe(runDirOf(stateDir.runsDir, name), name);
      if ('why' in found) skipped.push({ name, why: found.why });
      else {
        const { record, scan } = found;
        const run = { record, shimEpoch: scan.epoch ?? 0, inputOffset: 0 };
        await registry.write((tx) => tx.insertRecovered(run, owner));
        recovered.push(record.runId);
      }
      deps.onProgress?.(index + 1, names.length);
    }
    await registry.releaseOwner(owner);
  } finally {
    await registry.close();
  }
  return { movedAside, recovered, skipped };
}

type Found = { readonly record: RunRecord; readonly scan: JournalScan } | { readonly why: string };

function describe(runDir: string, name: string): Found {
  if (!isRunIdText(name)) return { why: 'its name is no run id' };
  try {
    const scan = scanJournal(runDir);
    if (scan.state === 'empty') return { why: 'nothing was started in it' };
    const meta = scan.meta && parseMeta(scan.meta);
    if (meta === undefined || scan.header === undefined)
      return { why: 'its journal does not describe it' };
    if (scan.header.runId !== name) return { why: 'it is a copy of another run' };
    return { record: recordOf(meta, scan), scan };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

function recordOf({ run, createdAtMs, instanceId }: RunMeta, scan: JournalScan): RunRecord {
  const { lastOutputUs, header } = scan;
  const process = scan.start && startedProcessOf(scan.start);
  return {
    ...run,
    ...(process ?? noProcess),
    ...outcomeOf(run, scan, process !== undefined),
    jobId: undefined,
    bootId: header?.bootId ?? '',
    pidNamespace: header?.pidNs ?? 0,
    createdAtMs,
    updatedAtMs: createdAtMs,
    /* The start record has no time of its own for people; the journal began when the run was made. */
    startedAtMs: process && createdAtMs,
    lastOutputAtMs: lastOutputUs === undefined ? undefined : Math.floor(lastOutputUs / 1000),
    ownerInstanceId: instanceId,
    ownerGeneration: 0,
    leaseExpiresAtMs: 0,
    epoch: scan.epoch ?? 0,
    journalBytes: scan.endOffset,
    removedAtMs: undefined,
  };
}

const noProcess = {
  pid: undefined,
  processGroupId: undefined,
  startTicks: undefined,
  shimPid: undefined,
  shimStartTicks: undefined,
  runDirDev: undefined,
  runDirIno: undefined,
};

function outcomeOf(
  { runId, leftovers }: RunMeta['run'],
  scan: JournalScan,
  isStarted: boolean,
): Pick<RunRecord, 'state' | 'exit' | 'treeEndedAtMs'> {
  const exit = exitOf(runId, scan);
  if (exit === undefined || (scan.end === undefined && leftovers !== 'keep')) {
    const state = isStarted ? 'running' : 'starting';
    return { state, exit: undefined, treeEndedAtMs: undefined };
  }
  const isTreeGone = scan.end?.isFinal === true;
  return { state: 'exited', exit, treeEndedAtMs: isTreeGone ? exit.endedAtMs : undefined };
}

function exitOf(runId: RunId, { exit, end, endOffset }: JournalScan): RunExit | undefined {
  return exit && runExitOf(runId, { exit, end, journalLength: endOffset });
}
