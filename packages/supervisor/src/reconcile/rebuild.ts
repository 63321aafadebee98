/*
 * `doctor --rebuild`: the registry made anew from the run directories (the registry is an index: ARCHITECTURE.md).
 *
 * The new one is made beside the old one, which is moved aside when the new one is whole: a disk that fills up meanwhile leaves
 * what was there. The old file is never deleted. Each directory with a journal becomes a record again: identity from
 * the segment header, what was asked for from `meta`, how it stands from start, exit and end. Epochs become
 * max(registry, shim) + 1 (O3). Directories that cannot be described are left alone and reported.
 */
import { readdirSync } from 'node:fs';
import { type Clock, createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { type JournalScan, scanJournal } from '@clawdfather/shim';
import { selectPlatform } from '../platform.ts';
import { diskRefusalOf } from '../registry/disk-refusal.ts';
import { removeRegistry, replaceRegistry } from '../registry/replace-registry.ts';
import type { RecoveredRun } from '../registry/recover.ts';
import { openRegistry } from '../registry/registry.ts';
import { openStateDir } from '../registry/state-dir.ts';
import { runDirOf } from '../run/records/run-files.ts';
import { parseMeta, type RunMeta } from '../run/records/run-meta.ts';
import { runExitOf, settlesWithRoot } from '../run/records/run-exit.ts';
import { isRunIdText } from '../run/spawn/check-spawn-input.ts';
import { startedProcessOf } from '../run/shim-link/shim-news.ts';
import type { RunExit } from '../run-end.ts';
import type { RunId, RunRecord } from '../types.ts';
import { probeShim } from './probe-shim.ts';

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
  const draft = { ...stateDir, registryFile: `${stateDir.registryFile}.rebuilding` };
  const { described, skipped } = describeAll(stateDir.runsDir);
  try {
    await removeRegistry(draft);
    const registry = await openRegistry({
      stateDir: draft,
      clock,
      random: createSystemRandom(),
      bootId: host.bootId,
      bootMs: () => host.bootMs(),
    });
    try {
      const { owner } = await registry.openOwner(host);
      for (const [index, { record, scan, runDir }] of described.entries()) {
        const shim = await askShim(runDir, scan, clock);
        await registry.write((tx) => tx.insertRecovered({ record, ...shim }, owner));
        deps.onProgress?.(index + 1, described.length);
      }
      await registry.releaseOwner(owner);
    } finally {
      await registry.close();
    }
    const movedAside = await replaceRegistry(stateDir, draft, clock.wallMs());
    return { movedAside, recovered: described.map(({ record }) => record.runId), skipped };
  } catch (error) {
    await removeRegistry(draft);
    throw diskRefusalOf(error, stateDir.path) ?? error;
  }
}

interface Described {
  readonly runDir: string;
  readonly record: RunRecord;
  readonly scan: JournalScan;
}

type Skipped = RebuildReport['skipped'][number];

function describeAll(runsDir: string): {
  readonly described: readonly Described[];
  readonly skipped: readonly Skipped[];
} {
  const described: Described[] = [];
  const skipped: Skipped[] = [];
  for (const name of readdirSync(runsDir)) {
    const runDir = runDirOf(runsDir, name);
    const found = describe(runDir, name);
    if ('why' in found) skipped.push({ name, why: found.why });
    else described.push({ runDir, ...found });
  }
  /* Lists show the newest first, by the order of their rows. */
  described.sort((one, other) => one.record.createdAtMs - other.record.createdAtMs);
  return { described: withoutScopesTaken(described), skipped };
}

/* O7: a run that was forced out of its scope still says so in its journal; the newest live one has it. */
function withoutScopesTaken(described: readonly Described[]): readonly Described[] {
  const holders = new Map<string, RunRecord>();
  for (const { record } of described) {
    if (record.scopeKey === undefined || record.state === 'exited') continue;
    const holder = holders.get(record.scopeKey);
    if (holder === undefined || holder.createdAtMs <= record.createdAtMs) {
      holders.set(record.scopeKey, record);
    }
  }
  return described.map((one) => {
    const { record } = one;
    if (record.scopeKey === undefined || record.state === 'exited') return one;
    const isHolder = holders.get(record.scopeKey) === record;
    return isHolder ? one : { ...one, record: { ...record, scopeKey: undefined } };
  });
}

/*
 * What a living shim knows better than its journal's beginning: its epoch, and how much input it has accepted. Input
 * sent from an offset below that would be dropped as delivered before (I1).
 */
async function askShim(
  runDir: string,
  { header, end, epoch }: JournalScan,
  clock: Clock,
): Promise<Pick<RecoveredRun, 'shimEpoch' | 'inputOffset'>> {
  const known = { shimEpoch: epoch ?? 0, inputOffset: 0 };
  if (header === undefined || end?.isFinal === true) return known;
  const { signal } = new AbortController();
  const { link } = await probeShim(runDir, header.cookie, { clock, signal });
  if (link === undefined) return known;
  link.close();
  return { shimEpoch: link.hello.epoch, inputOffset: link.hello.inputOffset };
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
    /* Of an older shim the start has no time, but the journal began when the run was made. */
    startedAtMs: process && (process.startedAtMs ?? createdAtMs),
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
  const isOpen = scan.end === undefined && !settlesWithRoot(leftovers, exit?.reason ?? 'unknown');
  if (exit === undefined || isOpen) {
    const state = isStarted ? 'running' : 'starting';
    return { state, exit: undefined, treeEndedAtMs: undefined };
  }
  const isTreeGone = scan.end?.isFinal === true;
  const treeEndedAtMs = isTreeGone ? (exit.treeEnd?.endedAtMs ?? exit.endedAtMs) : undefined;
  return { state: 'exited', exit, treeEndedAtMs };
}

function exitOf(runId: RunId, { exit, end, endOffset }: JournalScan): RunExit | undefined {
  return exit && runExitOf(runId, { exit, end, journalLength: endOffset });
}
