/*
 * The shims that are there, as the kernel lists them: what the registry cannot know. A stopped shim answers nobody, and
 * one whose run directory was deleted is found by nobody else.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import type { RunRecord } from '@clawdfather/supervisor';
import { shortId } from '../runs/find-run.ts';
import type { Finding } from './finding.ts';

export interface ShimProcess {
  readonly pid: number;
  /* One letter, as in proc(5). */
  readonly state: string;
  /* Its run directory; the kernel adds a note when that is gone. */
  readonly directory: string;
}

const deletedNote = ' (deleted)';
/* Named in a finding; the rest is counted. */
const namesMax = 5;

export interface ShimFacts {
  readonly shims: readonly ShimProcess[];
  readonly runs: readonly Pick<RunRecord, 'runId' | 'shimPid' | 'exit'>[];
  readonly runsDir: string;
}

export function checkShimProcesses({ shims, runs, runsDir }: ShimFacts): Finding {
  const check = 'shims';
  const ours = shims.filter(({ directory }) => directory.startsWith(`${runsDir}/`));
  const lost = ours.filter(({ directory }) => directory.endsWith(deletedNote));
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

/* Ours by user and name; what ends while we look is left out. */
export function readShimProcesses(uid: number | undefined, proc = '/proc'): ShimProcess[] {
  const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => readShimProcess(`${proc}/${pid}`, uid) ?? []);
}

function readShimProcess(path: string, uid: number | undefined): ShimProcess | undefined {
  try {
    const stat = readFileSync(`${path}/stat`, 'utf8');
    const named = /^(\d+) \(clf-shim\) (\S)/.exec(stat);
    if (named === null || statSync(path).uid !== uid) return undefined;
    const directory = readlinkSync(`${path}/cwd`);
    return { pid: Number(named[1]), state: named[2] ?? '', directory };
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
