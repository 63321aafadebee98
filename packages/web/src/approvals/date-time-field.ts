/*
 * A moment, as schemas have it (RFC 3339, with its zone) and as the browser's own field has it: without a zone, because it is the reader's. Pure.
 */

/* Empty: it is no moment. */
export function toLocalField(moment: string): string {
  const at = new Date(moment);
  if (Number.isNaN(at.getTime())) return '';
  const localMs = at.getTime() - at.getTimezoneOffset() * 60_000;
  return new Date(localMs).toISOString().slice(0, 19);
}

/* Undefined: it is no moment. */
export function toMoment(local: string): string | undefined {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
