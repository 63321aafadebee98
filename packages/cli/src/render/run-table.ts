/*
 * The table of `clf ps`: one run per line, what matters first, the command last.
 */
import type { Stall } from '@clawdfather/supervisor';
import { hostNameOf, localHost, nameLabel } from '@clawdfather/supervisor/origins';
import type { Run } from '../place/place.ts';
import { shortId } from '../runs/find-run.ts';
import { formatBytes } from './bytes.ts';
import { formatAge, formatDuration } from './duration.ts';
import { formatExitShort } from './exit-text.ts';
import type { Paint } from './paint.ts';
import { type Cell, formatTable } from './table.ts';
import { makeVisible } from '@clawdfather/tools/text';

export interface RunTableOptions {
  readonly paint: Paint;
  readonly nowMs: number;
  readonly columnsMax: number | undefined;
  readonly stallOf: (record: Run) => Stall | undefined;
}

/* Each is explained in table-words.ts. */
export const tableHeaders = ['ID', 'NAME', 'HOST', 'STATE', 'AGE', 'TIME', 'CPU', 'MEM', 'COMMAND'];

export function formatRunTable(records: readonly Run[], options: RunTableOptions): string {
  const absent = [
    ...(records.some(({ labels }) => labels[nameLabel] !== undefined) ? [] : ['NAME']),
    ...(records.some(isOnHost) ? [] : ['HOST']),
  ];
  const headers = tableHeaders.filter((header) => !absent.includes(header));
  const rows = records.map((record) =>
    rowOf(record, options).filter((_, index) => !absent.includes(tableHeaders[index] ?? '')),
  );
  return formatTable(
    {
      headers,
      paintHeader: options.paint.dim,
      columnsMax: options.columnsMax,
      // Of a run that lives, TIME says what AGE says.
      dispensable: ['TIME', 'MEM', 'CPU', 'AGE'],
    },
    rows,
  );
}

/* Its processes are on another machine: what is measured here is the client that carries it. */
export function isOnHost({ labels }: Pick<Run, 'labels'>): boolean {
  return hostNameOf(labels) !== localHost;
}

function rowOf(record: Run, options: RunTableOptions): Cell[] {
  const { exit, labels } = record;
  const known = exit === undefined ? record.use : endedUse(record);
  const use = isOnHost(record) ? undefined : known;
  return [
    { text: shortId(record), paint: options.paint.strong },
    { text: makeVisible(labels[nameLabel] ?? '') },
    { text: makeVisible(hostNameOf(labels)) },
    stateCell(record, options.stallOf(record), options.paint),
    { text: formatAge(options.nowMs, record.createdAtMs) },
    { text: timeText(record, options.nowMs) },
    { text: use === undefined ? '-' : formatDuration(use.cpuMs) },
    { text: use === undefined ? '-' : formatBytes(use.memoryBytes) },
    { text: makeVisible(record.command) },
  ];
}

/* How it stands in a word: the state, and for a finished run how it ended. */
export function stateText(run: Run, stall: Stall | undefined): string {
  const { exit, treeEndedAtMs } = run;
  // J4: a run that stands still is not simply running.
  if (exit === undefined) return stall === undefined ? livingState(run) : formatStall(stall);
  // T4: it is over, and something of it lives.
  const left = treeEndedAtMs === undefined ? ', leftovers' : '';
  const unsaved = exit.undrainedBytes === 0 ? '' : ', output lost';
  return `${formatExitShort(exit)}${left}${unsaved}`;
}

/* Whether somebody has stopped it is known only where its processes were looked at. */
function livingState({ state, use }: Run): string {
  return state === 'running' && use?.isStopped === true ? 'stopped' : state;
}

export function stateCell(run: Run, stall: Stall | undefined, paint: Paint): Cell {
  return { text: stateText(run, stall), paint: paintOf(run, stall, paint) };
}

function paintOf(run: Run, stall: Stall | undefined, paint: Paint) {
  const { exit, treeEndedAtMs } = run;
  if (exit === undefined) {
    if (stall !== undefined) return paint.bad;
    return livingState(run) === 'running' ? paint.good : paint.warn;
  }
  if (treeEndedAtMs === undefined) return paint.warn;
  const isGood = exit.reason === 'exit' && exit.code === 0 && exit.undrainedBytes === 0;
  return isGood ? paint.dim : paint.bad;
}

export function formatStall(stall: Stall): string {
  return `stalled: ${stall.replace('-', ' ')}`;
}

function timeText(record: Run, nowMs: number): string {
  if (record.exit !== undefined) {
    return record.exit.durationMs === undefined ? '-' : formatDuration(record.exit.durationMs);
  }
  return record.startedAtMs === undefined ? '-' : formatDuration(nowMs - record.startedAtMs);
}

/* All that it used, and the most that one of its processes held. */
function endedUse(record: Run): Pick<NonNullable<Run['use']>, 'cpuMs' | 'memoryBytes'> | undefined {
  const usage = record.exit?.usage;
  if (usage === undefined) return undefined;
  return {
    cpuMs: (usage.userUs + usage.systemUs) / 1_000,
    memoryBytes: usage.maxRssBytes,
  };
}
