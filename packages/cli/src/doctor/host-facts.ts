/*
 * The host as the checks see it: a few files and numbers, each undefined when
 * it cannot be read. Tests hand in their own.
 */
import { accessSync, constants, readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { release, userInfo } from 'node:os';

export interface HostFacts {
  readonly platform: string;
  readonly nodeVersion: string;
  /* As `uname -r` says it. */
  readonly kernelRelease: string;
  readonly userName: string;
  readonly userId: number;
  readText(path: string): string | undefined;
  isWritable(path: string): boolean;
  /* Of the file system that holds `path`. */
  freeSpace(path: string): Promise<FreeSpace | undefined>;
}

export interface FreeSpace {
  readonly bytes: number;
  /* Undefined where inodes are made on demand. */
  readonly inodes: number | undefined;
  /* tmpfs: gone at the next boot. */
  readonly isMemory: boolean;
}

/* TMPFS_MAGIC and RAMFS_MAGIC of statfs(2). */
const memoryTypes = [0x01021994, 0x858458f6];

export function createHostFacts(): HostFacts {
  return {
    platform: process.platform,
    nodeVersion: process.versions.node,
    kernelRelease: release(),
    userName: readUserName(),
    userId: process.getuid?.() ?? 0,
    readText: (path) => {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return undefined;
      }
    },
    isWritable: (path) => {
      try {
        accessSync(path, constants.W_OK);
        return true;
      } catch {
        return false;
      }
    },
    freeSpace: async (path) => {
      try {
        const { bavail, bsize, ffree, files, type } = await statfs(path);
        return {
          bytes: bavail * bsize,
          inodes: files === 0 ? undefined : ffree,
          isMemory: memoryTypes.includes(type),
        };
      } catch {
        return undefined;
      }
    },
  };
}

/* A container may run under a uid that has no name. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
