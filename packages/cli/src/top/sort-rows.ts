/*
 * The orders in which `clf top` can show runs: by what is most, with the key that asks for each.
 */
import { nameLabel } from '@clawdfather/supervisor/origins';
import type { LiveRow } from './watch-runs.ts';

export const sortOrders = ['cpu', 'memory', 'output', 'age', 'name'] as const;
export type SortOrder = (typeof sortOrders)[number];

export const sortKeys: Readonly<Record<string, SortOrder>> = {
  c: 'cpu',
  m: 'memory',
  o: 'output',
  a: 'age',
  n: 'name',
};

/* What is most comes first; the oldest; names from A. Equal ones by age, so that rows do not dance. */
export function sortRows(
  rows: readonly LiveRow[],
  order: SortOrder,
  isReversed: boolean,
): readonly LiveRow[] {
  const sign = isReversed ? -1 : 1;
  return rows.toSorted(
    (left, right) =>
      sign * compare(left, right, order) ||
      left.record.createdAtMs - right.record.createdAtMs ||
      left.record.runId.localeCompare(right.record.runId),
  );
}

function compare(left: LiveRow, right: LiveRow, order: SortOrder): number {
  switch (order) {
    case 'cpu':
      return (right.cpuPercent ?? 0) - (left.cpuPercent ?? 0);
    case 'memory':
      return (right.memoryBytes ?? 0) - (left.memoryBytes ?? 0);
    case 'output':
      return (right.outputBytesPerSecond ?? 0) - (left.outputBytesPerSecond ?? 0);
    case 'age':
      return left.record.createdAtMs - right.record.createdAtMs;
    case 'name':
      return nameOf(left).localeCompare(nameOf(right));
  }
}

/* Those without a name come last. */
function nameOf({ record }: LiveRow): string {
  return record.labels[nameLabel] ?? '\uffff';
}
