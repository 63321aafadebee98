/*
 * The identity of a state directory (O1, O6).
 *
 * `instance.json` holds a UUID made once and the directory's device and inode.
 * A copied or restored directory has another inode: it gets a new id, and the
 * runs that its registry lists belong to another directory from then on. The device
 * number alone may change when the host boots (disks are numbered as they are
 * found), so it counts only under an equal boot id.
 *
 * The file is read and replaced under the registry's write lock, so of two
 * processes that start in a fresh copy one makes the id and the other reads it.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hasErrno, type Random } from '@clawdfather/kit';
import { SupervisorError } from '../errors.ts';
import type { StateDir } from './state-dir.ts';

export interface Instance {
  readonly instanceId: string;
  /** The directory is a copy: this open has given it an identity of its own. */
  readonly isNewCopy: boolean;
}

interface InstanceFile {
  readonly instanceId: string;
  readonly dev: number;
  readonly ino: number;
  readonly bootId: string;
}

export interface InstanceInput {
  readonly stateDir: StateDir;
  readonly bootId: string;
  readonly createId: () => string;
}

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A version 4 UUID. */
export function createId(random: Random): string {
  const bytes = random.bytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Must be called under the registry's write lock. */
export function openInstance(input: InstanceInput): Instance {
  const { found, instance } = lookAtInstance(input);
  const { dev, ino } = input.stateDir;
  const current: InstanceFile = { instanceId: instance.instanceId, dev, ino, bootId: input.bootId };
  if (JSON.stringify(found) !== JSON.stringify(current)) {
    writeInstance(input.stateDir.instanceFile, current);
  }
  return instance;
}

/** Where nothing can be written: an identity that had to be made is lost with this process. */
export function readOnlyInstance(input: InstanceInput): Instance {
  return lookAtInstance(input).instance;
}

function lookAtInstance(input: InstanceInput): {
  readonly found: InstanceFile | undefined;
  readonly instance: Instance;
} {
  const found = readInstance(input.stateDir.instanceFile);
  const isNewCopy = found !== undefined && !isSameDirectory(found, input);
  const instanceId = found === undefined || isNewCopy ? input.createId() : found.instanceId;
  return { found, instance: { instanceId, isNewCopy } };
}

function isSameDirectory(found: InstanceFile, { stateDir, bootId }: InstanceInput): boolean {
  if (found.ino !== stateDir.ino) return false;
  return found.dev === stateDir.dev || found.bootId !== bootId;
}

function readInstance(path: string): InstanceFile | undefined {
  const json = readIfThere(path);
  if (json === undefined) return undefined;
  const value = parseJson(json);
  if (typeof value !== 'object' || value === null) throw invalid(path);
  const { instanceId, dev, ino, bootId } = value as Readonly<Record<string, unknown>>;
  if (typeof instanceId !== 'string' || !idPattern.test(instanceId)) throw invalid(path);
  if (typeof dev !== 'number' || typeof ino !== 'number') throw invalid(path);
  if (typeof bootId !== 'string') throw invalid(path);
  return { instanceId, dev, ino, bootId };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The caller reports any value that is not an instance, and this is one.
    return undefined;
  }
}

function writeInstance(path: string, instance: InstanceFile): void {
  const next = `${path}.next`;
  writeFileSync(next, `${JSON.stringify(instance)}\n`, { mode: 0o600 });
  renameSync(next, path);
}

function invalid(path: string): SupervisorError {
  return new SupervisorError('instance-invalid', 'instance.json is not one of ours', {
    detail: { path },
    hint: 'Remove the file: the directory then gets a new identity and its old live runs become foreign.',
  });
}
