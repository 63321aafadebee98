/*
 * What a turn has left in its directory, as it is stored: whether it was looked for, what was kept, and what is missing and why.
 *
 * AR1 A turn whose agent had its prompt needs a look at its end. That is a row of the change that ends the turn, so whoever comes after a
 *     crash finds it.
 * AR2 What was kept, what is missing, the outcome and the event of the thread are one change.
 * AR3 Nothing here changes the turn: its end is its own.
 */
import type { TurnRow } from '../rows.ts';
import type { ArtifactSyncStatus } from './next-sync.ts';

/* Why something that is there was not kept. */
export const missingReasons = [
  'too-large',
  'too-many',
  'too-deep',
  'turn-full',
  'account-full',
  'disk-full',
  'symlink',
  'not-a-file',
  'odd-name',
  'unreadable',
  'vanished',
  'changed',
  'unreachable',
  'not-allowed',
  'not-stored',
] as const;
export type MissingReason = (typeof missingReasons)[number];

/* `path` is relative to the thread's directory; what cannot be shown in it is escaped. */
export interface MissingArtifact {
  readonly path: string;
  readonly reason: MissingReason;
}

export interface ArtifactSyncRow {
  readonly turnId: string;
  /* The gateway that the agent ran at: on its machine, or through its connections, is the directory. */
  readonly instanceId: string;
  readonly status: ArtifactSyncStatus;
  /* The first of them; `missingCount` has all. */
  readonly missing: readonly MissingArtifact[];
  readonly missingCount: number;
  readonly itemCount: number;
  readonly askedAtMs: number;
  readonly endedAtMs?: number | undefined;
}

/* Against the snapshot of the turn before, or, without one, the time at which this turn began. */
export type ArtifactNews = 'new' | 'changed' | 'unchanged';

/* One file, as it was when the turn had ended. Its bytes are kept by their hash. */
export interface ArtifactRow {
  readonly id: string;
  readonly turnId: string;
  readonly relativePath: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly news: ArtifactNews;
  readonly modifiedAtMs: number;
}

/* What a look at the directory has found. */
export interface ArtifactsFound {
  readonly turnId: string;
  readonly items: readonly ArtifactRow[];
  readonly missing: readonly MissingArtifact[];
  readonly missingCount: number;
}

/* AR1: an agent that never had the prompt has made nothing. */
export function needsArtifacts({ runId, promptEnd }: TurnRow): boolean {
  return runId !== undefined && promptEnd !== undefined;
}

/* Scan hints of a prompt that names none. */
export const usualArtifactDirs = ['artifacts', 'reports', 'exports', 'assets', 'dist'] as const;
