/*
 * What turns have left, as columns, and the statements that write and load it with the thread it is of (AR1, AR2).
 */
import type {
  ArtifactRow,
  ArtifactSyncRow,
  MissingArtifact,
  ThreadChange,
  ThreadRows,
} from '@clawdfather/agents';
import { createInsert, updateOne } from '../../compiled-write.ts';
import type { ArtifactsTable, ArtifactSyncsTable } from '../../schema/artifact-tables.ts';
import { formatJson } from '../../schema/json-text.ts';
import { toRecord } from '../../schema/record.ts';
import { createSelect, type SelectTarget } from '../../select.ts';
import type { ThreadName } from './columns.ts';

export interface WrittenArtifacts {
  readonly newSyncs: readonly ArtifactSyncsTable[];
  readonly endedSyncs: readonly ArtifactSyncRow[];
  readonly artifacts: readonly ArtifactsTable[];
}

export function writtenArtifacts(
  name: ThreadName,
  before: ThreadRows,
  { rows, endedSyncs = [], artifacts = [] }: ThreadChange,
): WrittenArtifacts {
  const fresh = [...(rows.syncs?.values() ?? [])].filter(
    ({ turnId }) => before.syncs?.has(turnId) !== true,
  );
  const atMs = rows.thread.updatedAtMs;
  return {
    newSyncs: fresh.map((sync) => ({
      account_id: name.accountId,
      turn_id: sync.turnId,
      thread_id: name.threadId,
      instance_id: sync.instanceId,
      asked_at_ms: sync.askedAtMs,
      ...syncChanges(sync),
    })),
    endedSyncs,
    artifacts: artifacts.map((artifact, place) =>
      artifactColumns(name.accountId, artifact, { place, atMs }),
    ),
  };
}

function syncChanges({ status, missing, missingCount, itemCount, endedAtMs }: ArtifactSyncRow) {
  return {
    status,
    missing_json: formatJson(missing.map((one) => ({ ...one }))),
    missing_count: missingCount,
    item_count: itemCount,
    ended_at_ms: endedAtMs ?? null,
  };
}

function artifactColumns(
  accountId: string,
  artifact: ArtifactRow,
  { place, atMs }: { readonly place: number; readonly atMs: number },
): ArtifactsTable {
  return {
    account_id: accountId,
    id: artifact.id,
    turn_id: artifact.turnId,
    place,
    relative_path_json: formatJson(artifact.relativePath),
    size_bytes: artifact.sizeBytes,
    sha256: artifact.sha256,
    news: artifact.news,
    modified_at_ms: artifact.modifiedAtMs,
    kept_at_ms: atMs,
    removed_at_ms: null,
  };
}

export async function writeArtifacts(
  target: SelectTarget,
  accountId: string,
  { newSyncs, endedSyncs, artifacts }: WrittenArtifacts,
): Promise<void> {
  await insertSyncs(target, newSyncs);
  for (const sync of endedSyncs) {
    const { turnId } = sync;
    await updateOne(target, updateSync, { ...syncChanges(sync), accountId, turnId });
  }
  await insertArtifacts(target, artifacts);
}

type SyncValues = ReturnType<typeof syncChanges> & {
  readonly accountId: string;
  readonly turnId: string;
};

const updateSync = createSelect((db, { accountId, turnId, ...columns }: SyncValues) =>
  db
    .updateTable('artifact_syncs')
    .set(columns)
    .where('account_id', '=', accountId)
    .where('turn_id', '=', turnId)
    .where('ended_at_ms', 'is', null),
);

const insertSyncs = createInsert<ArtifactSyncsTable>((db, rows) =>
  db.insertInto('artifact_syncs').values(rows),
);
const insertArtifacts = createInsert<ArtifactsTable>((db, rows) =>
  db.insertInto('artifacts').values(rows),
);

export const selectOpenSyncs = createSelect(
  (db, { accountId, threadId }: { readonly accountId: string; readonly threadId: string }) =>
    db
      .selectFrom('artifact_syncs')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('thread_id', '=', threadId)
      .where('ended_at_ms', 'is', null)
      .orderBy('asked_at_ms'),
);

/** The reasons are those that were written. */
export function syncOf(row: ArtifactSyncsTable): ArtifactSyncRow {
  const { accountId: _account, threadId: _thread, missing, ...sync } = toRecord(row);
  return { ...sync, missing: missing as readonly MissingArtifact[] };
}
