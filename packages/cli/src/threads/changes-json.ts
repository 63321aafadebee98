/*
 * What a turn has changed as JSON, in the shape that docs/cli-json.md promises to keep.
 */
import type { Json } from '../render/run-json.ts';
import type { ChangedFile, FileChanges, TurnChanges } from './read-changes.ts';

/* `read`: of each file, in their order; none where only counts are wanted. */
export function changesJson(changes: TurnChanges, read: readonly FileChanges[]) {
  return {
    turnId: changes.turn_id,
    threadId: changes.thread_id,
    directory: changes.directory,
    isPartial: changes.is_partial,
    files: changes.files.map((file, index) => fileJson(file, read[index])),
  } satisfies Json;
}

function fileJson(listed: ChangedFile, read: FileChanges | undefined) {
  const file = read?.file ?? listed;
  return {
    path: file.path,
    isNew: file.is_new,
    isDone: file.is_done,
    edits: file.edits,
    kind: file.kind,
    added: file.added,
    removed: file.removed,
    bytes: file.bytes,
    sha256: file.sha256,
    hunks:
      read === undefined
        ? null
        : read.hunks.map((hunk) => ({
            edit: hunk.edit,
            oldStart: hunk.old_start,
            oldLines: hunk.old_lines,
            newStart: hunk.new_start,
            newLines: hunk.new_lines,
            lines: hunk.lines,
          })),
    beginning: read?.beginning ?? null,
  };
}
