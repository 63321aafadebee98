/*
 * What became of one file: its hunks and how many lines came and went; or why that cannot be shown.
 */
import { createHash } from 'node:crypto';
import type { ChangedFile, Edit } from './collect-edits.ts';
import { diffTexts, type Hunk } from './diff-texts.ts';

export interface FileHunk extends Hunk {
  /* Which of the file's edits it is of, from 0: line numbers of each are its own. */
  readonly edit: number;
}

export type FileDiff =
  | {
      readonly kind: 'text';
      readonly added: number;
      readonly removed: number;
      readonly hunks: readonly FileHunk[];
    }
  | { readonly kind: 'binary'; readonly bytes: number; readonly sha256: string }
  /* Its beginning, as it is now. */
  | { readonly kind: 'too_large'; readonly bytes: number; readonly lines: readonly string[] };

/* Of one side. A person reads no longer ones, and comparing them takes seconds. */
const textBytesMax = 1024 * 1024;
const linesMax = 20_000;
export const linesShown = 400;

export function diffFile({ edits }: Pick<ChangedFile, 'edits'>): FileDiff {
  const last = edits.at(-1)?.after ?? '';
  if (edits.some(isBinary)) {
    const sha256 = createHash('sha256').update(last).digest('hex');
    return { kind: 'binary', bytes: Buffer.byteLength(last), sha256 };
  }
  if (edits.some(isLarge)) return tooLarge(last);
  const hunks: FileHunk[] = [];
  for (const [edit, { before = '', after }] of edits.entries()) {
    const found = diffTexts(before, after);
    if (found === undefined) return tooLarge(last);
    hunks.push(...found.map((hunk) => ({ ...hunk, edit })));
  }
  return { kind: 'text', added: count(hunks, '+'), removed: count(hunks, '-'), hunks };
}

function isBinary({ before = '', after }: Edit): boolean {
  return before.includes('\0') || after.includes('\0');
}

function isLarge({ before = '', after }: Edit): boolean {
  return [before, after].some((text) => text.length > textBytesMax || linesOf(text) > linesMax);
}

function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function tooLarge(text: string): FileDiff {
  const lines = text.slice(0, textBytesMax).split('\n', linesShown);
  return { kind: 'too_large', bytes: Buffer.byteLength(text), lines };
}

function count(hunks: readonly FileHunk[], sign: '+' | '-'): number {
  return hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line[0] === sign).length, 0);
}
