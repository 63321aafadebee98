/*
 * A process as a text that no later process can have: number, start, boot and namespace. It names the directory in which an
 * installation is under way, so that what a killed one left can be told from what a living one writes.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hasErrno } from '@clawdfather/kit';

export type Liveness = 'alive' | 'dead' | 'unknown';

const markPattern = /^(\d+)\.(\d+)\.(\d+)\.([0-9a-f]{8})$/;

/** Undefined when it has ended. */
export function markProcess(pid: number): string | undefined {
  const start = readStart(pid);
  return start === undefined ? undefined : `${pid}.${start}.${ownNamespace()}.${bootPart()}`;
}

export function readLiveness(mark: string): Liveness {
  const [, pid = '', start, namespace, boot] = markPattern.exec(mark) ?? [];
  if (start === undefined) return 'unknown';
  if (boot !== bootPart()) return 'dead';
  // Numbers of another namespace mean nothing here.
  if (namespace !== ownNamespace()) return 'unknown';
  return readStart(Number(pid)) === start ? 'alive' : 'dead';
}

function readStart(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in the second field may hold anything, a bracket too.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const isZombie = fields[0] === 'Z' || fields[0] === 'X';
    return isZombie ? undefined : fields[19];
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ESRCH')) return undefined;
    throw error;
  }
}

function ownNamespace(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
}

function bootPart(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
}
