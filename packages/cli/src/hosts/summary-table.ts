/*
 * The table of `clf runs ls`: as `clf ps` shows runs of this machine, with what a gateway tells.
 */
import { endReasonSchema } from '@clawdfather/protocol';
import { makeVisible } from '@clawdfather/tools/text';
import { formatAge, formatDuration } from '../render/duration.ts';
import { formatExitShort } from '../render/exit-text.ts';
import type { Paint } from '../render/paint.ts';
import { liveCell } from '../render/run-table.ts';
import { type Cell, formatTable } from '../render/table.ts';
import { shortIdChars } from '../runs/find-run.ts';
import type { RemoteSummary } from './remote-run.ts';

export interface SummaryTableOptions {
  readonly paint: Paint;
  readonly nowMs: number;
  readonly columnsMax: number | undefined;
}

export function formatSummaryTable(
  runs: readonly RemoteSummary[],
  { paint, nowMs, columnsMax }: SummaryTableOptions,
): string {
  const rows = runs.map((run): Cell[] => [
    { text: run.runId.slice(0, shortIdChars), paint: paint.strong },
    stateCell(run, paint),
    { text: run.startedAt === undefined ? '-' : formatAge(nowMs, Date.parse(run.startedAt)) },
    { text: timeText(run, nowMs) },
    { text: makeVisible(run.command) },
  ]);
  return formatTable(
    {
      headers: ['ID', 'STATE', 'AGE', 'TIME', 'COMMAND'],
      paintHeader: paint.dim,
      columnsMax,
      dispensable: ['TIME', 'AGE'],
    },
    rows,
  );
}

function stateCell(run: RemoteSummary, paint: Paint): Cell {
  const { state, reason, exitCode, signal, leftovers } = run;
  if (state !== 'exited') {
    return liveCell(state, run.stalled, paint);
  }
  // A gateway may be newer than we are: a reason that we do not know is shown as it is.
  const known = endReasonSchema.safeParse(reason);
  const text = known.success
    ? formatExitShort({ reason: known.data, code: exitCode, signal })
    : makeVisible(reason ?? 'unknown');
  if (leftovers > 0) return { text: `${text}, leftovers`, paint: paint.warn };
  return { text, paint: reason === 'exit' && exitCode === 0 ? paint.dim : paint.bad };
}

function timeText({ startedAt, endedAt }: RemoteSummary, nowMs: number): string {
  if (startedAt === undefined) return '-';
  const untilMs = endedAt === undefined ? nowMs : Date.parse(endedAt);
  return formatDuration(untilMs - Date.parse(startedAt));
}
