/*
 * One look as text: a line of sums, the living runs, those that ended lately. The
 * same text goes to a terminal, cut to its size, and to a pipe, whole.
 */
import { hostNameOf, nameLabel } from '@clawdfather/supervisor/origins';
import { columnsOf, fitColumns, makeVisible } from '@clawdfather/tools/text';
import { formatBytes } from '../render/bytes.ts';
import { formatAge, formatDuration, formatInstant } from '../render/duration.ts';
import { formatExitNotice, formatExitShort } from '../render/exit-text.ts';
import type { Paint } from '../render/paint.ts';
import { exitJson, type Json } from '../render/run-json.ts';
import { isOnHost, stateCell } from '../render/run-table.ts';
import { type Cell, formatTable } from '../render/table.ts';
import { shortId } from '../runs/find-run.ts';
import { type SortOrder, sortRows } from './sort-rows.ts';
import type { LiveRow, Look } from './watch-runs.ts';

export interface LookView {
  readonly paint: Paint;
  readonly columnsMax: number | undefined;
  readonly order: SortOrder;
  readonly isReversed: boolean;
}

export interface LookText {
  readonly summary: string;
  /* The first line is its header; empty when nothing lives. */
  readonly live: readonly string[];
  /* Also with a header, or empty. */
  readonly ended: readonly string[];
}

const allHeaders = [
  'ID',
  'NAME',
  'HOST',
  'STATE',
  'CPU%',
  'MEM',
  'OUT/S',
  'PROCS',
  'AGE',
  'COMMAND',
];
/* A name is what people know a run by, so it stays when there is little room. A run without one shows its id there. */
const dispensable = { live: ['PROCS', 'AGE', 'ID'], ended: ['ID', 'LASTED', 'WHEN'] };
const right = ['CPU%', 'MEM', 'OUT/S', 'PROCS', 'AGE'];

export function formatLook(look: Look, view: LookView): LookText {
  const rows = sortRows(look.live, view.order, view.isReversed);
  return {
    summary: fitColumns(summaryText(look), view.columnsMax ?? Number.POSITIVE_INFINITY),
    live: rows.length === 0 ? [] : liveLines(rows, look, view),
    ended: look.ended.length === 0 ? [] : endedLines(look, view),
  };
}

function summaryText({ live, ended, problem }: Look): string {
  const sum = (of: (row: LiveRow) => number | undefined): number =>
    live.reduce((total, row) => total + (of(row) ?? 0), 0);
  return [
    // Makes it plain that the rest is of an earlier moment.
    ...(problem === undefined ? [] : [makeVisible(problem)]),
    `${live.length} running`,
    `${ended.length} ended lately`,
    `cpu ${formatPercent(sum(({ cpuPercent }) => cpuPercent))}%`,
    `mem ${formatBytes(sum(({ memoryBytes }) => memoryBytes))}`,
    `out ${formatBytes(sum(({ outputBytesPerSecond }) => outputBytesPerSecond))}/s`,
  ].join('   ');
}

function liveLines(rows: readonly LiveRow[], look: Look, view: LookView): string[] {
  const { paint } = view;
  const sorted = { cpu: 'CPU%', memory: 'MEM', output: 'OUT/S', age: 'AGE', name: 'NAME' };
  const mark = view.isReversed ? '↑' : '↓';
  const hasHosts = rows.some(({ record }) => isOnHost(record));
  const headers = allHeaders.filter((header) => hasHosts || header !== 'HOST');
  const shown = headers.map((header) => (header === sorted[view.order] ? header + mark : header));
  const cells = rows.map((row): Cell[] => {
    const { record } = row;
    return [
      { text: shortId(record), paint: paint.strong },
      { text: makeVisible(record.labels[nameLabel] ?? '') },
      ...(hasHosts ? [{ text: makeVisible(hostNameOf(record.labels)) }] : []),
      stateCell(record, row.stall, paint),
      { text: row.cpuPercent === undefined ? '-' : formatPercent(row.cpuPercent), isRight: true },
      { text: bytesText(row.memoryBytes), isRight: true },
      { text: bytesText(row.outputBytesPerSecond), isRight: true },
      { text: row.processes === undefined ? '-' : String(row.processes), isRight: true },
      {
        text: formatDuration(look.atMs - (record.startedAtMs ?? record.createdAtMs)),
        isRight: true,
      },
      { text: makeVisible(record.command) },
    ];
  });
  const layout = {
    headers: shown,
    rightHeaders: shown.filter((_, index) => right.includes(headers[index] ?? '')),
    paintHeader: paint.dim,
    columnsMax: view.columnsMax,
    dispensable: dispensable.live.map((header) => shown[headers.indexOf(header)] ?? header),
    standIns: { ID: shown[headers.indexOf('NAME')] ?? 'NAME' },
  };
  return formatTable(layout, cells).trimEnd().split('\n');
}

function endedLines(look: Look, view: LookView): string[] {
  const { paint } = view;
  const causeMax = causeColumnsOf(look, view);
  const hasHosts = look.ended.some(isOnHost);
  const cells = look.ended.map((record): Cell[] => [
    { text: shortId(record), paint: paint.strong },
    { text: makeVisible(record.labels[nameLabel] ?? '') },
    ...(hasHosts ? [{ text: makeVisible(hostNameOf(record.labels)) }] : []),
    endedCell(record, paint, causeMax),
    { text: formatAge(look.atMs, record.exit?.endedAtMs ?? look.atMs) },
    { text: record.exit?.durationMs === undefined ? '-' : formatDuration(record.exit.durationMs) },
    { text: makeVisible(record.command) },
  ]);
  const layout = {
    headers: ['ID', 'NAME', ...(hasHosts ? ['HOST'] : []), 'ENDED', 'WHEN', 'LASTED', 'COMMAND'],
    paintHeader: paint.dim,
    columnsMax: view.columnsMax,
    dispensable: dispensable.ended,
    standIns: { ID: 'NAME' },
  };
  return formatTable(layout, cells).trimEnd().split('\n');
}

/* What a cause has even where the command is cut short for it. */
const causeColumnsMin = 44;
/* Id, when, how long, and the beginning of the command, with the gaps between them. */
const otherColumns = 12 + 8 + 6 + 20 + 5 * 2;

/* As much as the other columns leave; elsewhere than on a terminal all of it. */
function causeColumnsOf({ ended }: Look, { columnsMax }: LookView): number {
  if (columnsMax === undefined) return Number.POSITIVE_INFINITY;
  const names = ended.map(({ labels }) => columnsOf(makeVisible(labels[nameLabel] ?? '')));
  return Math.max(causeColumnsMin, columnsMax - otherColumns - Math.max(4, ...names));
}

function endedCell(record: Look['ended'][number], paint: Paint, columnsMax: number): Cell {
  const { exit } = record;
  if (exit === undefined) return { text: '-' };
  const isGood = exit.reason === 'exit' && exit.code === 0;
  const text = formatExitNotice(exit, record.deadlines) ?? formatExitShort(exit);
  return { text: fitColumns(text, columnsMax), paint: isGood ? paint.dim : paint.bad };
}

export function lookJson(look: Look, view: Pick<LookView, 'order' | 'isReversed'>): Json {
  return {
    at: formatInstant(look.atMs),
    runs: sortRows(look.live, view.order, view.isReversed).map(rowJson),
    ended: look.ended.map((record) => ({
      id: record.runId,
      name: record.labels[nameLabel] ?? null,
      command: record.command,
      host: hostNameOf(record.labels),
      exit: record.exit === undefined ? null : exitJson(record.exit),
    })),
  };
}

function rowJson({ record, ...use }: LiveRow): Json {
  return {
    id: record.runId,
    name: record.labels[nameLabel] ?? null,
    state: record.state,
    command: record.command,
    host: hostNameOf(record.labels),
    pid: record.pid ?? null,
    startedAt: record.startedAtMs === undefined ? null : formatInstant(record.startedAtMs),
    stalled: use.stall ?? null,
    cpuPercent: use.cpuPercent === undefined ? null : Math.round(use.cpuPercent * 10) / 10,
    memoryBytes: use.memoryBytes ?? null,
    processes: use.processes ?? null,
    outputBytesPerSecond:
      use.outputBytesPerSecond === undefined ? null : Math.round(use.outputBytesPerSecond),
  };
}

function formatPercent(percent: number): string {
  return percent < 10 ? percent.toFixed(1) : String(Math.round(percent));
}

function bytesText(bytes: number | undefined): string {
  return bytes === undefined ? '-' : formatBytes(bytes);
}

/* For the bottom of a screen: as much as fits. */
export function fitHints(hints: readonly string[], columnsMax: number): string {
  let text = '';
  for (const hint of hints) {
    const longer = text === '' ? hint : `${text}  ${hint}`;
    if (columnsOf(longer) > columnsMax) break;
    text = longer;
  }
  return text;
}
