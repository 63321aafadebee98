/*
 * A directory on this machine, read as the user that this gateway runs as.
 */
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { MissingReason } from '@clawdfather/agents';
import { type ArtifactTree, type ReadFile, type Take, TreeError } from './artifact-tree.ts';
import { fileBytesMax } from './limits.ts';
import { openBelow, openRoot, reasonOf, walkTree } from './walk-tree.ts';

const pieceBytes = 256 * 1024;

/* For tests that change a file in between. */
export type LocalStep = 'before-read' | 'after-read';
export type OnStep = (step: LocalStep) => void;

export function createLocalTree(directory: string, onStep: OnStep = () => {}): ArtifactTree {
  return {
    list: async (dirs, signal) => {
      const root = await openRoot(directory).catch((error: unknown) => {
        throw new TreeError(reasonOf(error), { cause: error });
      });
      try {
        return await walkTree(root, dirs, signal);
      } finally {
        await root.close();
      }
    },
    read: async ({ path }, take, signal) => {
      const root = await openRoot(directory).catch(reasonOf);
      if (typeof root === 'string') return root;
      try {
        const file = await openBelow(root, path).catch(reasonOf);
        if (typeof file === 'string') return file;
        try {
          return await readWhole(file, { take, signal, onStep });
        } finally {
          await file.close();
        }
      } finally {
        await root.close();
      }
    },
  };
}

interface Reading {
  readonly take: Take;
  readonly signal: AbortSignal;
  readonly onStep: OnStep;
}

/* No more than it had when it was opened (AT3). One that changes meanwhile is `changed`; who wants it tries again. */
async function readWhole(
  file: FileHandle,
  { take, signal, onStep }: Reading,
): Promise<ReadFile | MissingReason> {
  const before = await look(file);
  if (typeof before === 'string') return before;
  if (!before.isFile()) return 'not-a-file';
  if (before.size > BigInt(fileBytesMax)) return 'too-large';
  onStep('before-read');
  const size = Number(before.size);
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, size));
  for (let at = 0; at < size; ) {
    signal.throwIfAborted();
    const got = await readSome(file, piece.subarray(0, size - at), at);
    if (typeof got === 'string') return got;
    // What takes it in may fail, too, and that is another matter: so it is not caught here.
    await take(piece.subarray(0, got));
    at += got;
  }
  onStep('after-read');
  const after = await look(file);
  if (typeof after === 'string') return after;
  return isSame(before, after) ? { modifiedAtMs: Number(before.mtimeMs) } : 'changed';
}

function look(file: FileHandle): Promise<BigIntStats | MissingReason> {
  return file.stat({ bigint: true }).catch(reasonOf);
}

async function readSome(
  file: FileHandle,
  target: Buffer,
  at: number,
): Promise<number | MissingReason> {
  try {
    const { bytesRead } = await file.read(target, 0, target.length, at);
    return bytesRead === 0 ? 'changed' : bytesRead;
  } catch (error) {
    return reasonOf(error);
  }
}

function isSame(before: BigIntStats, after: BigIntStats): boolean {
  return (
    before.size === after.size &&
    before.mtimeNs === after.mtimeNs &&
    before.ctimeNs === after.ctimeNs
  );
}
