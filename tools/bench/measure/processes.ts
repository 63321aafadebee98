/*
 * Looking at processes through /proc, and ending the ones that a peer left behind.
 *
 * A process is remembered by pid and start time, so that a pid that was used again is never taken for it.
 */
import { readFileSync } from 'node:fs';

export interface SeenProcess {
  readonly pid: number;
  readonly startTicks: number;
}

/* Undefined when there is no such process, or only its corpse. */
export function seeProcess(pid: number): SeenProcess | undefined {
  const fields = readStat(pid);
  if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return { pid, startTicks: Number(fields[19]) };
}

export function isAlive({ pid, startTicks }: SeenProcess): boolean {
  return seeProcess(pid)?.startTicks === startTicks;
}

export function endProcess(seen: SeenProcess): void {
  if (!isAlive(seen)) return;
  try {
    process.kill(seen.pid, 'SIGKILL');
  } catch {
    /* It was faster. */
  }
}

export function parentOf(pid: number): number | undefined {
  const fields = readStat(pid);
  return fields === undefined ? undefined : Number(fields[1]);
}

/* Proportional set size: shared pages count once among those who share them. */
export function pssBytes(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024;
  } catch {
    /* It has ended. */
    return 0;
  }
}

/* The fields of /proc/PID/stat from the state on; the name before them may hold anything. */
function readStat(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    /* There is no such process. */
    return undefined;
  }
}
