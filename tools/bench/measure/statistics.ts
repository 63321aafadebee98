/*
 * Medians and percentiles. A mean would be the mean of the machine's other guests; a median of rounds is not.
 */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = values.toSorted((left, right) => left - right);
  const index = Math.min(sorted.length - 1, Math.floor(share * sorted.length));
  return sorted[index] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const middle = values.length / 2;
  if (values.length === 0) return Number.NaN;
  if (!Number.isInteger(middle)) return quantile(values, 0.5);
  const sorted = values.toSorted((left, right) => left - right);
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { p50: median(values), p99: quantile(values, 0.99), worst: quantile(values, 1) };
}
