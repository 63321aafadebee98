/*
 * The events of a thread after a number, whole, as many as may be read for one answer. Sizes are read first: what an agent has sent may be
 * large, and only as much is loaded at a time as fits.
 */
import type { EventRow, ThreadHistory, ThreadRecords } from '@clawdfather/agents';

const lotEvents = 500;
const lotBytesMax = 2 * 1024 * 1024;
/* For one answer: a day of a busy agent. */
const eventsMax = 20_000;
const bytesMax = 32 * 1024 * 1024;

export interface Stretch {
  readonly threadId: string;
  readonly since: number;
  /* The newest at the time. */
  readonly last: number;
  /* Absent: as many as one answer may usually have. */
  readonly limits?: { readonly events: number; readonly bytes: number };
  /* Aborts when there is no time for more. */
  readonly signal?: AbortSignal;
}

/* Hands each to `take`. The number up to which all that there is was read. */
export async function readStretch(
  {
    history,
    threads,
  }: { history: Pick<ThreadHistory, 'sizes'>; threads: Pick<ThreadRecords, 'events'> },
  { threadId, since, last, signal, limits = { events: eventsMax, bytes: bytesMax } }: Stretch,
  take: (event: EventRow) => void,
): Promise<number> {
  let after = since;
  let left = limits;
  while (after < last) {
    if (signal?.aborted === true) return after;
    const limit = Math.min(lotEvents, left.events);
    const sizes = (await history.sizes(threadId, { after, limit })).filter(
      ({ seq }) => seq <= last,
    );
    const fitting = countFitting(sizes.map(({ bytes }) => bytes));
    if (fitting === 0) return last;
    const page = await threads.events(threadId, { after, limit: fitting });
    for (const event of page) take(event);
    after = page.at(-1)?.seq ?? last;
    const read = sizes.slice(0, fitting).reduce((sum, { bytes }) => sum + bytes, 0);
    left = { events: left.events - page.length, bytes: left.bytes - read };
    if (left.events <= 0 || left.bytes <= 0) return after;
    if (sizes.length < limit && fitting === sizes.length) return last;
  }
  return last;
}

/* At least one, however large it is: else there would be no way on. */
function countFitting(sizes: readonly number[]): number {
  let sum = 0;
  const tooMany = sizes.findIndex((bytes) => {
    sum += bytes;
    return sum > lotBytesMax;
  });
  return tooMany === -1 ? sizes.length : Math.max(1, tooMany);
}
