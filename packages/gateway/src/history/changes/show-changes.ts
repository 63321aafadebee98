/*
 * Changed files as the API shows them: paths as seen from the thread's directory, characters that hide or reorder text by their code.
 */
import { posix } from 'node:path';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { makeVisible } from '@clawdfather/tools/text';
import type { ChangedFile } from './collect-edits.ts';
import type { FileDiff, FileHunk } from './diff-file.ts';

type ShownFile = AnswerOf<Api['history']['changes']>['files'][number];
type ShownHunk = AnswerOf<Api['history']['fileChanges']>['hunks'][number];

/* Of one line; what is longer is no line for people. */
const lineCharactersMax = 2_000;

export function showFile(
  file: ChangedFile,
  diff: FileDiff | undefined,
  { n, directory }: { readonly n: number; readonly directory: string },
): ShownFile {
  return {
    n,
    path: showPath(file.path, directory),
    is_new: file.edits[0]?.before === undefined,
    is_done: file.isDone,
    edits: file.edits.length,
    last_seq: file.lastSeq,
    kind: diff?.kind ?? 'not_counted',
    added: diff?.kind === 'text' ? diff.added : null,
    removed: diff?.kind === 'text' ? diff.removed : null,
    bytes: diff === undefined || diff.kind === 'text' ? null : diff.bytes,
    sha256: diff?.kind === 'binary' ? diff.sha256 : null,
  };
}

export function showPath(path: string, directory: string): string {
  const inside = posix.relative(directory, path);
  const isInside = posix.isAbsolute(path) && inside !== '' && !/^\.\.(?:\/|$)/.test(inside);
  return makeVisible(isInside ? inside : path);
}

export function showHunk(hunk: FileHunk): ShownHunk {
  return {
    edit: hunk.edit,
    old_start: hunk.oldStart,
    old_lines: hunk.oldLines,
    new_start: hunk.newStart,
    new_lines: hunk.newLines,
    lines: hunk.lines.map(showLine),
  };
}

/* Tabs are what they look like. */
export function showLine(line: string): string {
  const shown = line.length > lineCharactersMax ? `${line.slice(0, lineCharactersMax)}…` : line;
  return shown.split('\t').map(makeVisible).join('\t');
}
