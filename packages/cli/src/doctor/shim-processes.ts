/*
 * The shims that are there, as the kernel lists them: what the registry cannot know. A stopped shim answers nobody, and
 * one whose run directory was deleted is found by nobody else.
 *
 * A shim lets nobody look into it, so its directory in `/proc` belongs to root, and only root can read where it works. For its own
 * user the registry tells which run it holds, by process id and start time, which every user can read.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from '@clawdfather/supervisor';
import { shortId } from '../runs/find-run.ts';
import type { Finding } from './finding.ts';

export interface ShimProcess {
  readonly pid: number;
  readonly startTicks: number;
  /* One letter, as in proc(5). */
  readonly state: string;
  /* Its run directory; the kernel adds a note when that is gone. Undefined: not for us to see. */
  readonly directory: string | undefined;
}

const deletedNote = ' (deleted)';
/* Named in a finding; the rest is counted. */
const namesMax = 5;

export interface ShimFacts {
  readonly shims: readonly ShimProcess[];
  readonly runs: readonly Pick<RunRecord, 'runId' | 'shimPid' | 'shimStartTicks' | 'exit'>[];
  readonly runsDir: string;
}

export function checkShimProcesses(facts: ShimFacts): Finding {
  const { shims, runs, runsDir } = facts;
  const check = 'shims';
  const ours = shims
    .map((shim) => ({ ...shim, directory: shim.directory ?? recordedDirectory(shim, facts) }))
    .filter(({ directory }) => directory?.startsWith(`${runsDir}/`));
  const lost = ours.filter(({ directory }) => directory?.endsWith(deletedNote));
  if (lost.length > 0) {
    return {
      check,
      status: 'warn',
      summary: `${count(lost.length)} of a run whose directory was deleted: ${pids(lost)}`,
      advice: `Such a run goes on and its output is lost. End it: kill ${pids(lost)}`,
    };
  }
  const stopped = ours.filter(({ state }) => state === 'T' || state === 't');
  if (stopped.length > 0) {
    const nameOf = ({ pid }: ShimProcess): string => {
      const run = runs.find(({ shimPid, exit }) => shimPid === pid && exit === undefined);
      return run === undefined ? String(pid) : `${pid} (run ${shortId(run)})`;
    };
    return {
      check,
      status: 'warn',
      summary: `stopped, so that their runs cannot be spoken to: ${stopped.slice(0, namesMax).map(nameOf).join(', ')}`,
      advice: `Let them go on: kill -CONT ${pids(stopped)}`,
    };
  }
  return { check, status: 'ok', summary: `${count(ours.length)}, none stopped or without a run` };
}

/* As the kernel would name it; undefined where it holds no run of ours. */
function recordedDirectory(
  { pid, startTicks }: ShimProcess,
  { runs, runsDir }: ShimFacts,
): string | undefined {
  const run = runs.find((one) => one.shimPid === pid && one.shimStartTicks === startTicks);
  if (run === undefined) return undefined;
  const directory = join(runsDir, run.runId);
  if (existsSync(directory)) return directory;
  // Removed after its end: its shim is about to go.
  return run.exit === undefined ? directory + deletedNote : undefined;
}

/* Ours by user and name; what ends while we look is left out. */
export function readShimProcesses(uid: number | undefined, proc = '/proc'): ShimProcess[] {
  const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => readShimProcess(`${proc}/${pid}`, uid) ?? []);
}

function readShimProcess(path: string, uid: number | undefined): ShimProcess | undefined {
  try {
    const stat = readFileSync(`${path}/stat`, 'utf8');
    const named = /^(\d+) \(clf-shim\) (\S)/.exec(stat);
    if (named === null || uidOf(path) !== uid) return undefined;
    // The fields after the name; the start is the 22nd of all.
    const startTicks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    return {
      pid: Number(named[1]),
      startTicks,
      state: named[2] ?? '',
      directory: directoryOf(path),
    };
  } catch {
    return undefined;
  }
}

/* Not the owner of the directory, which is root for a process that lets nobody look into it. */
function uidOf(path: string): number {
  return Number(/^Uid:\t(\d+)/m.exec(readFileSync(`${path}/status`, 'utf8'))?.[1]);
}

function directoryOf(path: string): string | undefined {
  try {
    return readlinkSync(`${path}/cwd`);
  } catch {
    return undefined;
  }
}

function pids(shims: readonly ShimProcess[]): string {
  return shims
    .slice(0, namesMax)
    .map(({ pid }) => pid)
    .join(' ');
}

function count(shims: number): string {
  return `${shims} shim${shims === 1 ? '' : 's'}`;
}
