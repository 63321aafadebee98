/*
 * Everything that can be seen of a recorded run from outside (O5), collected in
 * one place and handed to pure functions. Collecting decides nothing.
 */
import { lstatSync } from 'node:fs';
import { errnoOf } from '@clawdfather/kit';
import type { RunRecord } from '../types.ts';
import type { Host } from './host.ts';
import type { ProcessReading, ProcessTable } from './process-table.ts';

export type DirReading =
  | { readonly kind: 'found'; readonly dev: number; readonly ino: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly why: string };

/**
 * What became of a connection to the shim's socket. `greeted`: it answered with
 * HELLO after our cookie. `refused`: the file is there and no process listens.
 */
export type SocketReading = 'greeted' | 'refused' | 'absent' | 'unreachable' | 'not-tried';

/** A process as seen, with the lease id it carries when that can be read. */
export interface SeenProcess {
  readonly reading: ProcessReading;
  readonly leaseId: string | undefined;
}

export interface RunEvidence {
  readonly bootId: string;
  readonly pidNamespace: number;
  readonly runDir: DirReading;
  readonly socket: SocketReading;
  /** `undefined`: the record names no such process. */
  readonly shim: SeenProcess | undefined;
  readonly root: SeenProcess | undefined;
  /** Leftovers and survivors of a settled run, by pid. */
  readonly others: readonly { readonly pid: number; readonly reading: ProcessReading }[];
}

export interface EvidenceInput {
  readonly record: RunRecord;
  readonly runDirPath: string;
  readonly socket: SocketReading;
}

/** Reads only what means something here: in another boot or namespace a pid is a number. */
export function collectRunEvidence(
  host: Pick<Host, 'bootId' | 'pidNamespace'>,
  table: ProcessTable,
  { record, runDirPath, socket }: EvidenceInput,
): RunEvidence {
  const { bootId, pidNamespace } = host;
  const isOurFrame = record.bootId === bootId && record.pidNamespace === pidNamespace;
  const see = (pid: number | undefined): SeenProcess | undefined => {
    if (pid === undefined || !isOurFrame) return undefined;
    const reading = table.read(pid);
    return { reading, leaseId: reading.kind === 'found' ? table.leaseIdOf(pid) : undefined };
  };
  const listed = isOurFrame
    ? [...(record.exit?.leftovers ?? []), ...(record.exit?.survivors ?? [])]
    : [];
  return {
    bootId,
    pidNamespace,
    runDir: readDir(runDirPath),
    socket,
    shim: see(record.shimPid),
    root: see(record.pid),
    others: listed.map(({ pid }) => ({ pid, reading: table.read(pid) })),
  };
}

function readDir(path: string): DirReading {
  try {
    const { dev, ino } = lstatSync(path);
    return { kind: 'found', dev, ino };
  } catch (error) {
    const code = errnoOf(error) ?? 'unknown';
    return code === 'ENOENT' ? { kind: 'absent' } : { kind: 'unreadable', why: code };
  }
}
