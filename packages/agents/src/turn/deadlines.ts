/*
 * How long a turn may take, from its prompt on, by the kind of work that was asked for.
 */
import type { LoadClass } from '../rows.ts';

const minuteMs = 60_000;

export const deadlineMs: Readonly<Record<LoadClass, number>> = {
  short_task: 10 * minuteMs,
  long_task: 30 * minuteMs,
  complex_chain_task: 60 * minuteMs,
};
