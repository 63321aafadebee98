/*
 * Which boot of which host, and which pid namespace, this process lives in: the
 * frame in which a pid means anything (O5).
 *
 * `bootMs` is the kernel's monotonic clock. It counts from boot, so all processes
 * of one boot read the same value, which is what a shared lease needs (C1); it
 * stands still during suspend. Kit's clock counts from the process's own start and
 * has to work in browsers, hence this second one.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hrtime, pid } from 'node:process';
import { SupervisorError } from '../errors.ts';
import { parseProcStat } from './parse-proc-stat.ts';

export interface Host {
  readonly bootId: string;
  /** Inode of the pid namespace. */
  readonly pidNamespace: number;
  readonly pid: number;
  readonly startTicks: number;
  /** Monotonic milliseconds since boot, the same in every process of this boot. */
  bootMs(): number;
}

/** Throws `proc-unreadable`: without these facts nothing may be signalled or claimed. */
export function readHost(procDir = '/proc'): Host {
  const bootId = readText(`${procDir}/sys/kernel/random/boot_id`).trim();
  const self = parseProcStat(readText(`${procDir}/self/stat`));
  if (!/^[0-9a-f-]{36}$/.test(bootId) || self === undefined) throw unreadable(procDir);
  // A /proc of another pid namespace would number every process differently.
  if (self.pid !== pid) throw unreadable(procDir, `it belongs to another pid namespace`);
  return {
    bootId,
    pidNamespace: readNamespace(`${procDir}/self/ns/pid`),
    pid,
    startTicks: self.startTicks,
    bootMs: () => Number(hrtime.bigint() / 1_000n) / 1_000,
  };
}

/** The link reads `pid:[4026531836]`. */
function readNamespace(path: string): number {
  const match = /^pid:\[(\d+)\]$/.exec(attempt(() => readlinkSync(path), path));
  if (match === null) throw unreadable(path);
  return Number(match[1]);
}

function readText(path: string): string {
  return attempt(() => readFileSync(path, 'utf8'), path);
}

function attempt<Value>(read: () => Value, path: string): Value {
  try {
    return read();
  } catch (cause) {
    throw unreadable(path, undefined, cause);
  }
}

function unreadable(path: string, why = 'it cannot be read', cause?: unknown): SupervisorError {
  return new SupervisorError('proc-unreadable', `${path} is of no use: ${why}`, {
    cause,
    detail: { path },
    hint: 'Processes are told apart by what /proc says; check how it is mounted.',
  });
}
