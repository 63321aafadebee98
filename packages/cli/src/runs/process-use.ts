/*
 * Cpu time and memory of a living run: its root and the descendants the kernel
 * lists for it. A few small files per process, so cheap enough for `ps`; a
 * number that cannot be had is left out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { RunRecord } from '@clawdfather/supervisor';

export interface TreeUse {
  readonly cpuMs: number;
  readonly rssBytes: number;
}

/* A fork storm must not make `ps` slow; the sum is then of the first ones. */
const processesMax = 64;
/* USER_HZ: fixed at 100 for everything the kernel tells user space. */
const ticksPerSecond = 100;

export function readTreeUse(
  record: Pick<RunRecord, 'pid' | 'startTicks'>,
  readText: (path: string) => string | undefined = readProcFile,
): TreeUse | undefined {
  if (record.pid === undefined) return undefined;
  const root = readOne(record.pid, readText);
  // The pid may be somebody else's by now.
  if (root === undefined || root.startTicks !== record.startTicks) return undefined;
  let cpuTicks = 0;
  let rssBytes = 0;
  const queue = [record.pid];
  for (let at = 0; at < Math.min(queue.length, processesMax); at += 1) {
    const pid = queue[at] ?? 0;
    const use = readOne(pid, readText);
    if (use === undefined) continue;
    cpuTicks += use.cpuTicks;
    rssBytes += use.rssBytes;
    queue.push(...childrenOf(pid, readText));
  }
  return { cpuMs: (cpuTicks * 1_000) / ticksPerSecond, rssBytes };
}

interface ProcessUse {
  readonly cpuTicks: number;
  readonly rssBytes: number;
  readonly startTicks: number;
}

function readOne(
  pid: number,
  readText: (path: string) => string | undefined,
): ProcessUse | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  const status = readText(`/proc/${pid}/status`);
  if (stat === undefined || status === undefined) return undefined;
  // Numbered as in proc(5); the command's name may hold spaces, so count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3] ?? Number.NaN);
  const rssKb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  // With what its reaped children used, 16 and 17.
  const cpuTicks = field(14) + field(15) + field(16) + field(17);
  return { cpuTicks, rssBytes: rssKb * 1_024, startTicks: field(22) };
}

function childrenOf(pid: number, readText: (path: string) => string | undefined): number[] {
  const text = threadsOf(pid)
    .map((thread) => readText(`/proc/${pid}/task/${thread}/children`) ?? '')
    .join(' ');
  return text.split(/\s+/).filter(Boolean).map(Number);
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Ended meanwhile, or hidden from us.
    return undefined;
  }
}
