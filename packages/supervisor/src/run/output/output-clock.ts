/*
 * When a run last said something, asked of its journal (J1) and only when there may be something new. A doorbell alone says that the
 * journal has grown, and signals, claims and input make it grow too.
 */
import { lookForOutput, noOutputLook, type OutputLook } from '@clawdfather/shim';

export interface OutputClock {
  /* The journal is this long now. */
  grown(journalLength: number): void;
  /* As the shim's own record of the exit or the end has it: 0 is never, undefined when it does not say. */
  told(lastOutputUs: number | undefined): void;
  /* Undefined: it has said nothing. */
  lastOutputMs(): number | undefined;
}

export function createOutputClock(runDir: string): OutputClock {
  let look: OutputLook = noOutputLook;
  let length = 0;
  return {
    grown: (journalLength) => {
      length = Math.max(length, journalLength);
    },
    told: (lastOutputUs) => {
      if (lastOutputUs !== undefined)
        look = { ...noOutputLook, lastOutputUs: lastOutputUs || undefined, at: length };
    },
    lastOutputMs: () => {
      if (length > look.at) look = lookAgain(runDir, look);
      return look.lastOutputUs === undefined ? undefined : millisecondsOf(look.lastOutputUs);
    },
  };
}

function lookAgain(runDir: string, look: OutputLook): OutputLook {
  try {
    return lookForOutput(runDir, look);
  } catch {
    /* Removed meanwhile, or no descriptor is left: what was known stays, and it is asked again next time. */
    return look;
  }
}

export function millisecondsOf(us: number): number {
  return Math.floor(us / 1_000);
}
