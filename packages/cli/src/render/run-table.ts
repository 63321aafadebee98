/*
 * The table of `clf ps`: one run per line, what matters first, the command last.
 */
import type { RunRecord, Stall } from '@clawdfather/supervisor';
import { shortId } from '../runs/find-run.ts';
import type { TreeUse } from '../runs/process-use.ts';
import { formatBytes } from './bytes.ts';
import { formatAge, formatDuration } from './duration.ts';
import { formatExitShort } from './exit-text.ts';
import type { Paint } from './paint.ts';
import { nameLabel } from './run-json.ts';
import { type Cell, formatTable } from './table.ts';
import { makeVisible } from '@clawdfather/tools/text';

export interface RunTableOptions {
  readonly paint: Paint;
  readonly nowMs: number;
  readonly columnsMax: number | undefined;
  /* Undefined when it cannot be told, or the run has ended. */
  readonly useOf: (record: RunRecord) => TreeUse | undefined;
  readonly stallOf: (record: RunRecord) => Stall | undefined;
}

export function formatRunTable(records: readonly RunRecord[], options: RunTableOptions): string {
  const hasNames = records.some((record) => record.labels[nameLabel] !== undefined);
  const headers = ['ID', ...(hasNames ? ['NAME'] : []), 'STATE', 'AGE', 'TIME', 'CPU', 'MEM'];
  const rows = records.map((record) => rowOf(record, options, hasNames));
  return formatTable(
    {
      headers: [...headers, 'COMMAND'],
      paintHeader: options.paint.dim,
      columnsMax: options.columnsMax,
      dispensable: ['CPU', 'MEM', 'TIME', 'AGE'],
    },
    rows,
  );
}

function rowOf(record: RunRecord, options: RunTableOptions, hasNames: boolean): Cell[] {
  const { exit } = record;
  const use = exit === undefined ? options.useOf(record) : endedUse(record);
  const name = makeVisible(record.labels[nameLabel] ?? '');
  return [
    { text: shortId(record), paint: options.paint.strong },
    ...(hasNames ? [{ text: name }] : []),
    stateCell(record, options.stallOf(record), options.paint),
    { text: formatAge(options.nowMs, record.createdAtMs) },
    { text: timeText(record, options.nowMs) },
    { text: use === undefined ? '-' : formatDuration(use.cpuMs) },
    { text: use === undefined ? '-' : formatBytes(use.rssBytes) },
    { text: makeVisible(record.command) },
  ];
}

/* How it stands in one word: the state, and for a finished run how it ended. */
export function stateCell(record: RunRecord, stall: Stall | undefined, paint: Paint): Cell {
  if (record.exit !== undefined) {
    const text = formatExitShort(record.exit);
    // T4: it is over, and something of it lives.
    if (record.treeEndedAtMs === undefined)
      return { text: `${text}, leftovers`, paint: paint.warn };
    const isGood = record.exit.reason === 'exit' && record.exit.code === 0;
    return { text, paint: isGood ? paint.dim : paint.bad };
  }
  return liveCell(record.state, stall, paint);
}

/* J4: a run that stands still is not simply running. */
export function liveCell(state: string, stall: Stall | undefined, paint: Paint): Cell {
  if (stall !== undefined) return { text: formatStall(stall), paint: paint.bad };
  return { text: state, paint: state === 'running' ? paint.good : paint.warn };
}

export function formatStall(stall: Stall): string {
  return `stalled: ${stall.replace('-', ' ')}`;
}

function timeText(record: RunRecord, nowMs: number): string {
  if (record.exit !== undefined) {
    return record.exit.durationMs === undefined ? '-' : formatDuration(record.exit.durationMs);
  }
  return record.startedAtMs === undefined ? '-' : formatDuration(nowMs - record.startedAtMs);
}

function endedUse(record: RunRecord): TreeUse | undefined {
  const usage = record.exit?.usage;
  if (usage === undefined) return undefined;
  return {
    cpuMs: (usage.userUs + usage.systemUs) / 1_000,
    rssBytes: usage.maxRssBytes,
  };
}
