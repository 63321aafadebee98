/*
 * A directory in which an agent has worked, as a snapshot sees it: on this machine, as another Unix user, or on a host.
 *
 * AT1 Nothing below the directory is followed: a symbolic link is named as missing, wherever it leads. The directory itself is the one that
 *     a person gave the thread.
 * AT2 Only plain files are opened, and an open never waits: pipes, sockets and devices are named as missing.
 * AT3 What is walked is bounded in entries and in depth; what is read of a file, by its size when it was opened.
 */
import type { MissingReason } from '@clawdfather/agents';
import { missingMax, missingPathCharactersMax } from './limits.ts';

export interface FoundFile {
  /* Below the directory, with slashes. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

export interface TreeListing {
  readonly files: readonly FoundFile[];
  readonly missing: MissingList;
}

export interface ArtifactTree {
  /* What is in these directories below. Throws a `TreeError` where nothing can be said about any of it. */
  list(dirs: readonly string[], signal: AbortSignal): Promise<TreeListing>;
  /*
   * Hands the bytes on as they are read, waiting for each piece to be taken. A reason: they are not to be had. What was handed on before is
   * void then.
   */
  read(file: FoundFile, take: Take, signal: AbortSignal): Promise<ReadFile | MissingReason>;
}

export type Take = (piece: Uint8Array) => Promise<void>;

/* As it was when it was read. */
export type ReadFile = Pick<FoundFile, 'modifiedAtMs'>;

/* The whole directory cannot be looked at. */
export class TreeError extends Error {
  readonly reason: MissingReason;

  constructor(reason: MissingReason, options: ErrorOptions = {}) {
    super(`the directory cannot be looked at: ${reason}`, options);
    this.name = 'TreeError';
    this.reason = reason;
  }
}

/* Names the first ones and counts all. */
export class MissingList {
  readonly items: { readonly path: string; readonly reason: MissingReason }[] = [];
  count = 0;

  add(path: string, reason: MissingReason): void {
    this.count += 1;
    if (this.items.length < missingMax) this.items.push({ path: visiblePath(path), reason });
  }

  addAll(other: MissingList): void {
    const unnamed = other.count - other.items.length;
    for (const { path, reason } of other.items) this.add(path, reason);
    this.count += unnamed;
  }
}

/* What is stored and shown of a name that is not kept: no control characters, no half characters, no more than fits a line. */
function visiblePath(path: string): string {
  const visible = path
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
  const signs = Array.from(visible);
  return signs.length <= missingPathCharactersMax
    ? visible
    : `${signs.slice(0, missingPathCharactersMax - 1).join('')}…`;
}
