/*
 * The hunks of a changed file, all pages of them. A hunk that was cut by the end of a page is one again.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Client } from '@clawdfather/sdk';

export type TurnChanges = AnswerOf<Api['history']['changes']>;
export type ChangedFile = TurnChanges['files'][number];
type FilePage = AnswerOf<Api['history']['fileChanges']>;
export type Hunk = FilePage['hunks'][number];

export interface FileChanges {
  /* As it was compared by itself, for which there is more time than in a list. */
  readonly file: ChangedFile;
  readonly hunks: readonly Hunk[];
  /* Of one that is too large to compare. */
  readonly beginning: readonly string[] | null;
}

export async function readFileChanges(
  client: Client,
  { turnId, n }: { readonly turnId: string; readonly n: number },
): Promise<FileChanges> {
  const read = (offset: number): Promise<FilePage> =>
    client.history.fileChanges({ params: { id: turnId, n }, query: { offset } });
  const { file, hunks: firstHunks, beginning, next_offset: second } = await read(0);
  const hunks = [...firstHunks];
  for (let next = second; next !== null; ) {
    const page = await read(next);
    addPage(hunks, page.hunks);
    next = page.next_offset;
  }
  return { file, hunks, beginning };
}

/* Hunks never touch, so one that begins where the one before ends is the rest of it. */
export function addPage(hunks: Hunk[], page: readonly Hunk[]): void {
  const [first, ...others] = page;
  const last = hunks.at(-1);
  if (first === undefined) return;
  if (last !== undefined && isRestOf(last, first)) {
    hunks[hunks.length - 1] = {
      ...last,
      old_lines: last.old_lines + first.old_lines,
      new_lines: last.new_lines + first.new_lines,
      lines: [...last.lines, ...first.lines],
    };
    hunks.push(...others);
  } else hunks.push(...page);
}

function isRestOf(last: Hunk, next: Hunk): boolean {
  return (
    last.edit === next.edit &&
    last.old_start + last.old_lines === next.old_start &&
    last.new_start + last.new_lines === next.new_start
  );
}
