/*
 * The process table as a port: what one pid is, right now.
 *
 * `absent` is a proof, so it needs the kernel's own word: ESRCH from a signal 0,
 * which no mount option can fake. ENOENT in /proc alone may be hidepid (O5).
 * What exists but cannot be read is `unreadable`, never absent.
 *
 * Tests put a table of their own here.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { kill } from 'node:process';
import { errnoOf } from '@clawdfather/kit';
import { parseProcStat } from './parse-proc-stat.ts';
import type { ProcStat } from './parse-proc-stat.ts';

export type ProcessReading =
  | { readonly kind: 'found'; readonly stat: ProcStat; readonly isZombie: boolean }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly why: string };

export interface ProcessTable {
  read(pid: number): ProcessReading;
  /** The lease id in a process's environment; `undefined` when it has none or hides it. */
  leaseIdOf(pid: number): string | undefined;
  /** The program that it runs now; `undefined` when that cannot be read. */
  programOf(pid: number): string | undefined;
  /** The variables of ours that it was started with; `undefined` when that cannot be read. */
  variablesOf(pid: number): ReadonlyMap<string, string> | undefined;
}

/** Every child gets it; exact matches only, and never more than a hint (T8). */
const leaseIdVariable = 'CLAWDFATHER_LEASE_ID';
const ourPrefix = 'CLAWDFATHER_';

export function createProcProcessTable(procDir = '/proc'): ProcessTable {
  return {
    read: (pid) => {
      const text = readIfAllowed(`${procDir}/${pid}/stat`);
      if (text.kind === 'text') return readingOf(text.text);
      if (text.code === 'ESRCH') return { kind: 'absent' }; // It died between open and read.
      if (text.code !== 'ENOENT') return { kind: 'unreadable', why: `/proc says ${text.code}` };
      return probe(pid);
    },
    leaseIdOf: (pid) => {
      const text = readIfAllowed(`${procDir}/${pid}/environ`);
      if (text.kind !== 'text') return undefined;
      const prefix = `${leaseIdVariable}=`;
      const entry = text.text.split('\0').find((line) => line.startsWith(prefix));
      return entry?.slice(prefix.length);
    },
    programOf: (pid) => {
      try {
        return readlinkSync(`${procDir}/${pid}/exe`);
      } catch {
        // Another user's, or ended since: the caller knows which from `read`.
        return undefined;
      }
    },
    variablesOf: (pid) => {
      const text = readIfAllowed(`${procDir}/${pid}/environ`);
      return text.kind === 'text' ? ourVariables(text.text) : undefined;
    },
  };
}

function ourVariables(environ: string): ReadonlyMap<string, string> {
  const entries = environ.split('\0').filter((line) => line.startsWith(ourPrefix));
  return new Map(
    entries.map((line): [string, string] => {
      const at = line.indexOf('=');
      return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

function readingOf(text: string): ProcessReading {
  const stat = parseProcStat(text);
  if (stat === undefined) return { kind: 'unreadable', why: 'its stat line is not whole' };
  return { kind: 'found', stat, isZombie: stat.state === 'Z' || stat.state === 'X' };
}

/** /proc does not show it: is it gone, or only hidden? */
function probe(pid: number): ProcessReading {
  try {
    kill(pid, 0);
  } catch (error) {
    const code = errnoOf(error) ?? 'unknown';
    if (code === 'ESRCH') return { kind: 'absent' };
    return { kind: 'unreadable', why: `hidden in /proc, signal 0 says ${code}` };
  }
  return { kind: 'unreadable', why: 'hidden in /proc, but it exists' };
}

type Text =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failed'; readonly code: string };

function readIfAllowed(path: string): Text {
  try {
    // Names and environments may hold any bytes; latin1 keeps them all, one to one.
    return { kind: 'text', text: readFileSync(path, 'latin1') };
  } catch (error) {
    return { kind: 'failed', code: errnoOf(error) ?? 'unknown' };
  }
}
