/*
 * Whether a run is seen waiting for input: a port, because only Linux can tell, and not always.
 *
 * The kernel shows the system call a sleeping process is in. A run waits for input when one of its processes sleeps in a
 * read of the run's own terminal, as a member of the foreground group, or of the run's own input pipe; or, as line editors
 * do, in a select without a time limit on descriptor 0 alone. Anything else (a poll of several things, a program that
 * computes) says nothing, and then silence decides. One look could catch a program between two lines, so there are two,
 * and it must not have moved in between.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Clock } from '@clawdfather/kit';
import type { RunRecord } from '@clawdfather/supervisor';

export interface ReadingProbe {
  /* Undefined: it cannot be told. Never true for a program that is busy. */
  isReading(record: RunRecord): Promise<boolean | undefined>;
  /* False when the run takes no more input; undefined: it is not known. */
  isStdinOpen(record: RunRecord): boolean | undefined;
}

/* Nothing is known; silence alone decides. */
export const blindProbe: ReadingProbe = {
  isReading: async () => undefined,
  isStdinOpen: () => undefined,
};

/* A fork storm must not make a poll slow. */
const processesMax = 64;
/* Long enough for a program that was just given a line to wake up. */
const secondLookMs = 20;

interface SystemCalls {
  readonly read: number;
  /* Those whose first argument counts descriptors and whose fifth is the time limit. */
  readonly selects: readonly number[];
}

const systemCalls: Readonly<Record<string, SystemCalls>> = {
  x64: { read: 0, selects: [23, 270] },
  arm64: { read: 63, selects: [72] },
};

export function createReadingProbe(clock: Clock, arch: string = process.arch): ReadingProbe {
  const calls = systemCalls[arch];
  if (calls === undefined) return blindProbe;
  return {
    isReading: async (record) => {
      const first = lookForReader(record, calls);
      if (typeof first !== 'string') return first;
      await clock.sleep(secondLookMs);
      return lookForReader(record, calls) === first;
    },
    isStdinOpen,
  };
}

/* What tells the reader and that it has not moved; false when there is none. */
function lookForReader(record: RunRecord, calls: SystemCalls): string | false | undefined {
  const root = record.pid === undefined ? undefined : statOf(record.pid);
  /* Another process may have the pid by now. */
  if (root === undefined || root.startTicks !== record.startTicks) return undefined;
  const input = linkOf(root.pid, 0);
  for (const pid of treeOf(root.pid)) {
    const stat = statOf(pid);
    if (stat === undefined) continue;
    const isTerminal = record.mode !== 'child';
    if (isTerminal && stat.group !== root.foregroundGroup) continue;
    const from = readFrom(pid, calls);
    if (from === undefined) continue;
    const isOurs = isTerminal ? from.startsWith('/dev/pts/') : from === input;
    if (isOurs) return `${pid} ${textOf(`/proc/${pid}/syscall`)} ${switchesOf(pid)}`;
  }
  return false;
}

/* What the process sleeps on reading, if it does. */
function readFrom(pid: number, { read, selects }: SystemCalls): string | undefined {
  const [number, first, , , , limit] = textOf(`/proc/${pid}/syscall`).trim().split(' ');
  const call = Number.parseInt(number ?? '', 10);
  if (call === read) return linkOf(pid, Number(first));
  if (selects.includes(call) && Number(first) === 1 && Number(limit) === 0) return linkOf(pid, 0);
  return undefined;
}

function isStdinOpen(record: RunRecord): boolean | undefined {
  if (record.mode !== 'child') return true;
  if (record.pid === undefined || record.shimPid === undefined) return undefined;
  const input = linkOf(record.pid, 0);
  if (input === '/dev/null') return false;
  if (input?.startsWith('pipe:') !== true) return undefined;
  const held = descriptorsOf(record.shimPid);
  return held?.some((descriptor) => linkOf(record.shimPid ?? 0, descriptor) === input);
}

function* treeOf(root: number): Iterable<number> {
  const queue = [root];
  for (let at = 0; at < Math.min(queue.length, processesMax); at += 1) {
    const pid = queue[at] ?? 0;
    yield pid;
    const children = textOf(`/proc/${pid}/task/${pid}/children`).trim();
    if (children !== '') queue.push(...children.split(' ').map(Number));
  }
}

interface Stat {
  readonly pid: number;
  readonly group: number;
  readonly foregroundGroup: number;
  readonly startTicks: number;
}

/* Counted from the end of the name, which may hold anything; numbers as in proc(5). */
function statOf(pid: number): Stat | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 20) return undefined;
  const field = (number: number): number => Number(fields[number - 3]);
  return { pid, group: field(5), foregroundGroup: field(8), startTicks: field(22) };
}

/* How often it has gone to sleep: the same twice means that it has not woken up. */
function switchesOf(pid: number): string {
  return /^voluntary_ctxt_switches:\s*(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? '';
}

function descriptorsOf(pid: number): readonly number[] | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).map(Number);
  } catch {
    return undefined; /* It is gone, or another user's. */
  }
}

function linkOf(pid: number, descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return undefined; /* It is gone, or another user's, or was closed. */
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; /* It is gone, or another user's. */
  }
}
