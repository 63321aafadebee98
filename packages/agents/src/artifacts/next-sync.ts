/*
 * The life of the look at what a turn has left, as one pure function. It ends once.
 *
 * syncing ── looked ──► no-artifacts | synced | partial | failed
 */
export type ArtifactOutcome = 'no-artifacts' | 'synced' | 'partial' | 'failed';
export type ArtifactSyncStatus = 'syncing' | ArtifactOutcome;

export interface SyncEvent {
  readonly type: 'looked';
  readonly itemCount: number;
  readonly missingCount: number;
}

/* Undefined: it has ended before. */
export function nextSync(
  status: ArtifactSyncStatus,
  event: SyncEvent,
): ArtifactOutcome | undefined {
  if (status !== 'syncing') return undefined;
  const { itemCount, missingCount } = event;
  if (missingCount === 0) return itemCount === 0 ? 'no-artifacts' : 'synced';
  return itemCount === 0 ? 'failed' : 'partial';
}
