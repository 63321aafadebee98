/*
 * Which processes belong to a test's sshd, and their end.
 *
 * Three kinds. What its sessions started carries the rig's mark in its environment. What serves a connection is a process
 * named sshd that holds a socket of the rig's port: it is found even when the listener, its parent, was killed. And the
 * listener itself.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { createSystemClock } from '@clawdfather/kit';
import { type SshdProgram, sshdPath } from './sshd-program.ts';

export interface SshdTraces {
  readonly port: number;
  readonly mark: string;
}

/* A process that was killed is gone within a moment, unless a disk holds it. */
const roundsMax = 2_000;
const pauseMs = 5;

export async function endSshd(program: SshdProgram, traces: SshdTraces): Promise<void> {
  const clock = createSystemClock();
  /* The listener first: it accepts no more. */
  kill(program.pid);
  await program.ended;
  for (let round = 1; ; round += 1) {
    const found = [...sessionProcesses(traces.mark), ...connectionProcesses(traces.port)];
    if (found.length === 0) return;
    if (round > roundsMax) throw new Error(`processes of sshd do not go: ${found.join(', ')}`);
    for (const pid of found) kill(pid);
    await clock.sleep(pauseMs);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went by itself.
  }
}

function sessionProcesses(mark: string): readonly number[] {
  return processes().filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(mark));
}

function connectionProcesses(port: number): readonly number[] {
  return processes().filter((pid) => {
    if (!isSshd(read(`/proc/${pid}/comm`).trim())) return false;
    const sockets = socketsOf(pid);
    const inodes = ['tcp', 'tcp6'].flatMap((kind) => inodesOnPort(pid, kind, port));
    return inodes.some((inode) => sockets.has(inode));
  });
}

/* Of the network that this process is in, which may be another than ours. */
function inodesOnPort(pid: number, kind: string, port: number): readonly string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return read(`/proc/${pid}/net/${kind}`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(`:${hex}`))
    .map((fields) => fields[9] ?? '');
}

function socketsOf(pid: number): ReadonlySet<string> {
  const found = new Set<string>();
  try {
    for (const name of readdirSync(`/proc/${pid}/fd`)) {
      const match = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`));
      if (match?.[1] !== undefined) found.add(match[1]);
    }
  } catch {
    // It is gone, or another user's: then it is not ours.
  }
  return found;
}

function processes(): readonly number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/* Since 9.8 connections are served by programs of other names, which begin the same. One that `SSHD=` names may be called anything. */
function isSshd(comm: string): boolean {
  const commBytesMax = 15;
  return comm.startsWith('sshd') || comm === basename(sshdPath()).slice(0, commBytesMax);
}
