/*
 * Times and lengths in the words of the reader's language, short enough for a row.
 */
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/* under 0.1 s, 0.4 s, 12 s, 3 min, 2 h 14 min, 3 d */
export function formatLength(ms: number): string {
  if (ms < 50) return 'under 0.1 s';
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < minuteMs) return `${Math.floor(ms / 1000)} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < dayMs) {
    const minutes = Math.floor((ms % hourMs) / minuteMs);
    return `${Math.floor(ms / hourMs)} h${minutes === 0 ? '' : ` ${minutes} min`}`;
  }
  return `${Math.floor(ms / dayMs)} d`;
}

/* now, 4 min ago, 14:02, 3 Nov */
export function formatAgo(atMs: number, nowMs: number): string {
  const agoMs = nowMs - atMs;
  if (agoMs < minuteMs) return 'now';
  if (agoMs < hourMs) return `${Math.floor(agoMs / minuteMs)} min ago`;
  const at = new Date(atMs);
  if (agoMs < dayMs / 2) return formatClock(atMs);
  const isThisYear = at.getFullYear() === new Date(nowMs).getFullYear();
  const year = isThisYear ? {} : { year: 'numeric' as const };
  return at.toLocaleDateString(undefined, { day: 'numeric', month: 'short', ...year });
}

export function formatClock(atMs: number): string {
  return new Date(atMs).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
}

/* 3 Nov 2026 */
export function formatDay(atMs: number): string {
  const parts = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  return new Date(atMs).toLocaleDateString(undefined, parts);
}

/* Wednesday, 18 November */
export function formatWholeDay(atMs: number): string {
  const parts = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
  return new Date(atMs).toLocaleDateString(undefined, parts);
}
