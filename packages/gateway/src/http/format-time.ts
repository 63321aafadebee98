/*
 * Times as they are on the wire: ISO 8601 in UTC, and null for what has not happened.
 */
export function formatTime(ms: number): string;
export function formatTime(ms: number | undefined): string | null;
export function formatTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
