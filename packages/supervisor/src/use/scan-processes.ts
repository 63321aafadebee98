/*
 * All processes of the host in one pass over /proc: who is whose child, cpu time, memory.
 *
 * One read per process into one buffer, whatever the number of runs; a look per run
 * would read the same tables again and again. Trees are made from the parent ids.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

export interface ProcessSample {
  readonly parentPid: number;
  readonly startTicks: number;
  /* Its own, and with what its reaped children had used. */
  readonly ownTicks: number;
  readonly childTicks: number;
  readonly rssPages: number;
  readonly isZombie: boolean;
  /* By SIGSTOP, Ctrl-Z and the like; not by a debugger. */
  readonly isStopped: boolean;
}

export interface ProcessScan {
  readonly of: (pid: number) => ProcessSample | undefined;
  readonly childrenOf: (pid: number) => readonly number[];
}

/* A stat line has 52 numbers of at most 20 digits, and a name of 64 bytes. */
const statBytesMax = 2_048;
/* USER_HZ: fixed at 100 for everything the kernel tells user space. */
export const ticksPerSecond = 100;

const buffer = Buffer.allocUnsafe(statBytesMax);

export function scanProcesses(procDir = '/proc'): ProcessScan {
  const samples = new Map<number, ProcessSample>();
  const children = new Map<number, number[]>();
  for (const name of readdirSync(procDir)) {
    const pid = Number(name);
    const sample = Number.isInteger(pid) ? readSample(`${procDir}/${name}/stat`) : undefined;
    if (sample === undefined) continue;
    samples.set(pid, sample);
    const siblings = children.get(sample.parentPid);
    if (siblings === undefined) children.set(sample.parentPid, [pid]);
    else siblings.push(pid);
  }
  return { of: (pid) => samples.get(pid), childrenOf: (pid) => children.get(pid) ?? [] };
}

function readSample(path: string): ProcessSample | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    return parseSample(buffer.toString('latin1', 0, readSync(fd, buffer, 0, statBytesMax, 0)));
  } catch {
    // Ended meanwhile, or hidden from us.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/* Undefined for text that is not a whole stat line. */
export function parseSample(stat: string): ProcessSample | undefined {
  // Numbered as in proc(5); the name may hold anything, so count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  const sample = {
    parentPid: field(4),
    startTicks: field(22),
    ownTicks: field(14) + field(15),
    childTicks: field(16) + field(17),
    rssPages: field(24),
    isZombie: fields[0] === 'Z' || fields[0] === 'X',
    isStopped: fields[0] === 'T',
  };
  return Number.isFinite(sample.rssPages) && Number.isFinite(sample.startTicks)
    ? sample
    : undefined;
}

/* AT_PAGESZ of the auxiliary vector: pairs of words, the first says what the second is. */
const pageSizeType = 6n;

export function readPageBytes(): number {
  const usual = 4_096;
  try {
    const vector = readFileSync('/proc/self/auxv');
    for (let at = 0; at + 16 <= vector.length; at += 16) {
      if (vector.readBigUInt64LE(at) === pageSizeType) {
        return Number(vector.readBigUInt64LE(at + 8));
      }
    }
  } catch {
    // Then it is what it nearly always is.
  }
  return usual;
}
