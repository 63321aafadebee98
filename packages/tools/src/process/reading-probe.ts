/*
 * Whether a run is seen waiting for input: a port, because only Linux can tell, and not always.
 */
import type { RunRecord } from '@clawdfather/supervisor';

export interface ReadingProbe {
  /* Undefined: it cannot be told. Never true for a program that is busy. */
  isReading(record: RunRecord): Promise<boolean | undefined>;
  /* False when nobody can write to the run any more; undefined: it cannot be told. */
  isStdinOpen(record: RunRecord): boolean | undefined;
}

/* Nothing is known; silence alone decides. */
export const blindProbe: ReadingProbe = {
  isReading: async () => undefined,
  isStdinOpen: () => undefined,
};
