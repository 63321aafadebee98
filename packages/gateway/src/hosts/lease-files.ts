/*
 * What runs on hosts for us and is not proven to be over: a file for each command, from before it is sent until its end is confirmed,
 * and one for each session that has run commands, which may have left something. A gateway that is killed, a connection that is lost, a
 * client that is killed while it opens a session: each leaves the file, and the next contact with the host ends what carries its lease.
 *
 * Beside the file of a command is the report of the client that carried it (docs/protocol/mux.md).
 */
import { mkdirSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isId } from '@clawdfather/kit';
import { parseReport, type ReportLine } from '@clawdfather/ssh';
import { removeSmallFile, writeSmallFile } from './small-files.ts';

export interface HostLease {
  readonly kind: 'command' | 'session';
  /* Of the run, or of the session. */
  readonly id: string;
  readonly leaseId: string;
  readonly graceMs: number;
}

export interface LeasePaths {
  readonly reportPath: string;
  /* Made by a client when the host has no session for it; in a directory of its own, to be watched. */
  readonly crowdedPath: string;
}

export interface LeaseFiles {
  /* Before anything is sent. */
  write(connectionId: string, lease: HostLease): Promise<LeasePaths>;
  report(connectionId: string, id: string): Promise<readonly ReportLine[]>;
  list(connectionId: string): Promise<readonly HostLease[]>;
  confirm(connectionId: string, id: string): Promise<void>;
  /* Those that have, or had, something on the list. */
  connections(): Promise<readonly string[]>;
  /* All of it; nothing leads to that host any more. */
  drop(connectionId: string): Promise<void>;
}

const name = /^([0-9a-z][0-9a-z-]{0,30})\.lease$/;

export function createLeaseFiles(stateDir: string): LeaseFiles {
  const dirOf = (connectionId: string): string => join(stateDir, 'host-commands', connectionId);
  const crowdOf = (connectionId: string): string => join(stateDir, 'host-crowds', connectionId);
  const at = (connectionId: string, id: string, ending: 'lease' | 'report'): string =>
    join(dirOf(connectionId), `${id}.${ending}`);
  return {
    write: async (connectionId, lease) => {
      // The client makes its own.
      const crowd = crowdOf(connectionId);
      mkdirSync(crowd, { recursive: true, mode: 0o700 });
      await writeSmallFile(at(connectionId, lease.id, 'lease'), JSON.stringify(lease));
      const reportPath = at(connectionId, lease.id, 'report');
      return { reportPath, crowdedPath: join(crowd, lease.id) };
    },
    report: async (connectionId, id) => {
      const text = await readFile(at(connectionId, id, 'report'), 'utf8').catch(() => '');
      return parseReport(text).lines;
    },
    list: async (connectionId) => {
      const names = await readdir(dirOf(connectionId)).catch(() => []);
      const leases = await Promise.all(
        names.map(async (file) => {
          const id = name.exec(file)?.[1];
          return id === undefined ? [] : readLease(at(connectionId, id, 'lease'), id);
        }),
      );
      return leases.flat();
    },
    confirm: async (connectionId, id) => {
      // The lease last: without its report it is swept once more, and that is harmless.
      await removeSmallFile(at(connectionId, id, 'report'));
      await removeSmallFile(join(crowdOf(connectionId), id));
      await removeSmallFile(at(connectionId, id, 'lease'));
    },
    connections: async () => {
      const names = await Promise.all([dirOf(''), crowdOf('')].map(namesIn));
      return [...new Set(names.flat())];
    },
    drop: async (connectionId) => {
      for (const directory of [dirOf(connectionId), crowdOf(connectionId)])
        await rm(directory, { recursive: true, force: true });
    },
  };
}

/* None where there is no such directory. */
async function namesIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory).catch(() => [])).filter(isId);
}

/* One that was cut off by a full disk, or by a kill, says nothing; nothing was sent after it. */
async function readLease(path: string, id: string): Promise<readonly HostLease[]> {
  try {
    const read = JSON.parse(await readFile(path, 'utf8')) as Partial<HostLease>;
    const { kind, leaseId, graceMs } = read;
    const isKind = kind === 'command' || kind === 'session';
    const isWhole = isKind && typeof leaseId === 'string' && typeof graceMs === 'number';
    return isWhole ? [{ kind, id, leaseId, graceMs }] : [];
  } catch {
    return [];
  }
}
