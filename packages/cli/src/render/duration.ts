/*
 * Times for people: how long, how long ago, and when.
 */

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/* Two units at most: `350ms`, `4.2s`, `3m12s`, `5h3m`, `2d4h`. */
export function formatDuration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < secondMs) return `${Math.round(span)}ms`;
  // Rounded down, so that 59.96 s does not read as a minute.
  if (span < 10 * secondMs) return `${(Math.floor(span / 100) / 10).toFixed(1)}s`;
  if (span < minuteMs) return `${Math.floor(span / secondMs)}s`;
  if (span < hourMs) return pair(span, [minuteMs, 'm'], [secondMs, 's']);
  if (span < dayMs) return pair(span, [hourMs, 'h'], [minuteMs, 'm']);
  return pair(span, [dayMs, 'd'], [hourMs, 'h']);
}

/* `just now`, `4m ago`; a clock that was set back gives `just now`, not a negative age. */
export function formatAge(nowMs: number, thenMs: number): string {
  const span = nowMs - thenMs;
  if (span < secondMs) return 'just now';
  if (span < minuteMs) return `${Math.floor(span / secondMs)}s ago`;
  if (span < hourMs) return `${Math.floor(span / minuteMs)}m ago`;
  if (span < dayMs) return `${Math.floor(span / hourMs)}h ago`;
  return `${Math.floor(span / dayMs)}d ago`;
}

/* For JSON and timestamps: UTC with milliseconds. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}

function pair(
  span: number,
  [largeMs, largeUnit]: readonly [number, string],
  [smallMs, smallUnit]: readonly [number, string],
): string {
  const large = Math.floor(span / largeMs);
  const small = Math.floor((span - large * largeMs) / smallMs);
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
