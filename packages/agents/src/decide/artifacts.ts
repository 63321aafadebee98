/*
 * What a turn has left is stored with its outcome and its event, once (AR2).
 */
import type { ArtifactRow, ArtifactsFound } from '../artifacts/artifact-rows.ts';
import { nextSync } from '../artifacts/next-sync.ts';
import type { ThreadChange, ThreadRows } from '../rows.ts';
import type { JsonObject } from '../wire/json-rpc.ts';
import { Draft } from './draft.ts';

/* Of the missing ones, an event names these; the turn names more. */
const missingInEventMax = 16;

/* Undefined: it is not waited for any more. */
export function finishArtifacts(
  rows: ThreadRows,
  found: ArtifactsFound,
  atMs: number,
): ThreadChange | undefined {
  const { turnId, items, missing, missingCount } = found;
  const sync = rows.syncs?.get(turnId);
  if (sync === undefined) return undefined;
  const itemCount = items.length;
  const status = nextSync(sync.status, { type: 'looked', itemCount, missingCount });
  if (status === undefined) return undefined;
  const draft = new Draft(rows, atMs);
  // Most turns leave nothing, and there is nothing to say about that.
  if (status !== 'no-artifacts') {
    const payload = {
      status,
      count: itemCount,
      items: items.map(showItem),
      missing: missing.slice(0, missingInEventMax).map((one) => ({ ...one })),
      missing_count: missingCount,
    };
    draft.event('artifact', payload, { turnId });
  }
  draft.endSync({ ...sync, status, missing, missingCount, itemCount, endedAtMs: atMs }, items);
  return draft.done();
}

function showItem({ id, relativePath, sizeBytes, sha256, news }: ArtifactRow): JsonObject {
  return { id, relative_path: relativePath, size_bytes: sizeBytes, sha256, news };
}
