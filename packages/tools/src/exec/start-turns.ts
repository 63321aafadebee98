/*
 * Starts of one account that are under way at a time: every start keeps the machine busy for some milliseconds, and others wait behind
 * it. Each line is first come, first served.
 */
export interface StartTurns {
  /* Does the work when there is a turn in this line. */
  run<Result>(line: string, atOnceMax: number, work: () => Promise<Result>): Promise<Result>;
}

interface Line {
  underWay: number;
  readonly waiting: (() => void)[];
}

export function createStartTurns(): StartTurns {
  const lines = new Map<string, Line>();
  return {
    run: async (name, atOnceMax, work) => {
      const line = lines.get(name) ?? { underWay: 0, waiting: [] };
      lines.set(name, line);
      if (line.underWay < atOnceMax) line.underWay += 1;
      // The place of the one before is handed on, so nobody comes in between.
      else await new Promise<void>((resolve) => line.waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = line.waiting.shift();
        if (next === undefined) line.underWay -= 1;
        else next();
        if (line.underWay === 0) lines.delete(name);
      }
    },
  };
}
