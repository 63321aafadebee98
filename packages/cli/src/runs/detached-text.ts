/*
 * What `clf run -d` says on a terminal when it leaves: how to come back to the run and how to end it. Or that it has ended already: a
 * port that is taken, or a file that is missing, shows itself at once, and whoever reads that all is well would not look.
 */
import type { Clock } from '@clawdfather/kit';
import type { RunExit } from '@clawdfather/supervisor';
import type { RunHandle } from '../place/place.ts';
import { formatExitShort } from '../render/exit-text.ts';
import { handiestName } from './find-run.ts';

/* Most commands that cannot work know it by then, and a person does not mind to wait so long. */
const settleMs = 300;

/* Undefined: it goes on. */
export async function endedAtOnce(run: RunHandle, clock: Clock): Promise<RunExit | undefined> {
  const settled = new AbortController();
  const timer = clock.timer(settleMs, () => settled.abort());
  try {
    return await run.wait(settled.signal);
  } catch {
    // Its end is only looked for: whatever fails here, the run was started.
    return undefined;
  } finally {
    timer.cancel();
  }
}

export interface DetachedRun {
  readonly run: RunHandle;
  /* What follows `clf COMMAND` to mean its place. */
  readonly flag: string;
  readonly hasTerminal: boolean;
  /* How it ended meanwhile. */
  readonly exit: RunExit | undefined;
}

/* On two lines where one is too narrow: a broken id cannot be copied. */
export function formatDetachedRun(
  { run, flag, hasTerminal, exit }: DetachedRun,
  columnsMax = Number.POSITIVE_INFINITY,
): string {
  const name = handiestName(run.snapshot());
  if (exit !== undefined) {
    return `clf: it has ended already: ${formatExitShort(exit)}; output: clf logs${flag} ${name}\n`;
  }
  const back = hasTerminal
    ? `screen: clf attach${flag} ${name}`
    : `output: clf logs${flag} -f ${name}`;
  const end = `end it: clf kill${flag} ${name}`;
  const line = `clf: ${back}   ${end}`;
  return line.length <= columnsMax ? `${line}\n` : `clf: ${back}\nclf: ${end}\n`;
}
