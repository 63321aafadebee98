/*
 * No byte lost or doubled: what each reader stored, piece by piece, is what the writer's plan says; and reading again
 * from any stored cursor gives exactly the rest.
 */
import type { RunId, Supervisor } from '@clawdfather/supervisor';
import { type Ledger, type Piece, type ReaderName, readerNames } from '../gateway/ledger.ts';
import { expectedText, plannedLines, type StreamName } from '../plan/lines.ts';
import type { RunPlan } from '../plan/run-plan.ts';
import type { Violation } from './violation.ts';

const rule = 'no byte is lost or doubled for any reader';

export function checkReaders(ledger: Ledger, plan: RunPlan): readonly Violation[] {
  return readerNames.flatMap((reader) => {
    const pieces = ledger.piecesOf({ reader, runId: plan.runId });
    if (!ledger.isClosed({ reader, runId: plan.runId })) {
      return [{ rule, runId: plan.runId, what: `${reader} never saw the end of the output` }];
    }
    return checkPieces(plan, pieces, reader);
  });
}

/* From the beginning and from the middle of what the owner stored. */
export async function checkReplays(
  supervisor: Supervisor,
  ledger: Ledger,
  plan: RunPlan,
): Promise<readonly Violation[]> {
  const pieces = ledger.piecesOf({ reader: 'owner', runId: plan.runId });
  const run = await supervisor.attach(plan.runId as RunId);
  const violations: Violation[] = [];
  for (const from of new Set([0, Math.floor(pieces.length / 2), pieces.length])) {
    const cursor = from === 0 ? undefined : pieces[from - 1]?.after;
    const replayed: Piece[] = [];
    for await (const event of run.output(cursor)) {
      if (event.kind !== 'output') continue;
      const { stream, bytes } = event;
      replayed.push({ before: '', after: event.cursor, stream, bytes });
    }
    const rest = pieces.slice(from);
    for (const stream of ['stdout', 'stderr'] as const) {
      if (textOf(replayed, stream) === textOf(rest, stream)) continue;
      const what = `reading again from ${cursor ?? 'the beginning'} gives another ${stream}`;
      violations.push({ rule, runId: plan.runId, what });
    }
  }
  return violations;
}

function checkPieces(
  plan: RunPlan,
  pieces: readonly Piece[],
  reader: ReaderName,
): readonly Violation[] {
  const streams =
    plan.kind === 'terminal' ? (['stdout'] as const) : (['stdout', 'stderr'] as const);
  return streams.flatMap((stream) => {
    const got = textOf(pieces, stream);
    const wanted = wantedText(plan, stream, got.length);
    if (got === wanted) return [];
    return [
      { rule, runId: plan.runId, what: `${reader}, ${stream}: ${differenceOf(got, wanted)}` },
    ];
  });
}

/* Of an endless run the part that came: it must be a beginning of what would have come. */
function wantedText({ kind, writer }: RunPlan, stream: StreamName, length: number): string {
  if (kind === 'terminal') return expectedText(writer, 'terminal');
  if (kind !== 'endless') return expectedText(writer, stream);
  let text = '';
  for (const line of plannedLines(writer)) {
    if (text.length >= length) break;
    if (line.stream === stream) text += line.text;
  }
  return text.slice(0, length);
}

function textOf(pieces: readonly Piece[], stream: StreamName): string {
  const parts = pieces.filter((piece) => piece.stream === stream).map(({ bytes }) => bytes);
  return Buffer.concat(parts).toString('latin1');
}

function differenceOf(got: string, wanted: string): string {
  let at = 0;
  while (at < got.length && got[at] === wanted[at]) at += 1;
  const around = (text: string): string => JSON.stringify(text.slice(at, at + 40));
  return `${got.length} bytes instead of ${wanted.length}; at ${at} came ${around(got)} instead of ${around(wanted)}`;
}
