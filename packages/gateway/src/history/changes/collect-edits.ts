/*
 * The files that a turn has changed, as far as its agent has told: from the `diff` contents of its tool calls. Pure.
 *
 * A call may tell its content several times, and the newest counts. What failed has changed nothing. Some agents send whole files, others only
 * the lines that they replace. So two edits of a file are one where the second begins with what the first has made, and otherwise two
 * that are shown one after the other.
 */
import type { EventRow } from '@clawdfather/agents';

/* One stretch of a file, before and after. */
export interface Edit {
  /* Absent: there was no file. */
  readonly before: string | undefined;
  readonly after: string;
}

export interface ChangedFile {
  readonly path: string;
  readonly edits: readonly Edit[];
  /* False: a call that tells of it has not said that it is done. */
  readonly isDone: boolean;
  /* Of the events that tell of it. */
  readonly lastSeq: number;
}

interface Told {
  readonly diffs: readonly FileDiff[];
  readonly status: unknown;
  readonly seq: number;
}

interface FileDiff extends Edit {
  readonly path: string;
}

export function collectEdits(
  events: Iterable<Pick<EventRow, 'seq' | 'turnId' | 'type' | 'payload'>>,
): readonly ChangedFile[] {
  const calls = new Map<string, Told>();
  for (const { seq, turnId, type, payload } of events) {
    const { toolCallId, status, content } = payload;
    if (type !== 'tool' || typeof toolCallId !== 'string') continue;
    const key = `${turnId} ${toolCallId}`;
    const known = calls.get(key);
    const diffs = Array.isArray(content) ? diffsOf(content) : undefined;
    calls.set(key, {
      diffs: diffs ?? known?.diffs ?? [],
      status: status ?? known?.status,
      seq: diffs === undefined || diffs.length === 0 ? (known?.seq ?? seq) : seq,
    });
  }
  const files = new Map<string, ChangedFile>();
  const inOrder = [...calls.values()].toSorted((one, other) => one.seq - other.seq);
  for (const { diffs, status, seq } of inOrder) {
    if (status === 'failed') continue;
    for (const diff of diffs)
      files.set(diff.path, withEdit(files.get(diff.path), diff, { status, seq }));
  }
  return [...files.values()];
}

function diffsOf(content: readonly unknown[]): readonly FileDiff[] {
  return content.flatMap((item) => {
    const { type, path, oldText, newText } = (item ?? {}) as Readonly<Record<string, unknown>>;
    if (type !== 'diff' || typeof path !== 'string' || typeof newText !== 'string') return [];
    return [{ path, before: typeof oldText === 'string' ? oldText : undefined, after: newText }];
  });
}

function withEdit(
  file: ChangedFile | undefined,
  { path, before, after }: FileDiff,
  { status, seq }: { readonly status: unknown; readonly seq: number },
): ChangedFile {
  const isDone = (file?.isDone ?? true) && status === 'completed';
  const edits = file?.edits ?? [];
  const last = edits.at(-1);
  const goesOn = last !== undefined && last.after === before;
  const joined = goesOn
    ? [...edits.slice(0, -1), { before: last.before, after }]
    : [...edits, { before, after }];
  return { path, edits: joined, isDone, lastSeq: seq };
}
