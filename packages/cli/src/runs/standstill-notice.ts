/*
 * J4: a run whose journal cannot be written, on a full disk say, stands still until
 * it can. Whoever waits in front of it is told why nothing moves.
 */
import type { SupervisorObserver } from '@clawdfather/supervisor';
import { makeVisible } from '@clawdfather/tools/text';
import type { Io } from '../io/io.ts';
import type { RunHandle } from '../place/place.ts';
import { shortId } from './find-run.ts';

export interface StandstillWords {
  readonly io: Pick<Io, 'stderr'>;
  readonly isQuiet: boolean;
  /* Where its output is kept: a directory, or a gateway. */
  readonly where: string;
}

/* `why` is undefined when it goes on. */
export function sayStandstill(
  { io, isQuiet, where }: StandstillWords,
  run: Pick<RunHandle, 'runId'>,
  why: string | undefined,
): void {
  if (isQuiet) return;
  const text =
    why === undefined
      ? 'goes on'
      : `stands still: its output cannot be kept ${makeVisible(where)} (${makeVisible(why)})`;
  const line = `clf: run ${shortId(run)} ${text}`;
  // A terminal that is lent to the run is a raw one, where a new line does not begin at the left.
  void io.stderr.write(io.stderr.isTerminal ? `\r${line}\r\n` : `${line}\n`).catch(() => {});
}

export function createStandstillNotice(words: StandstillWords): SupervisorObserver {
  return {
    event: (event) => {
      if (event.type !== 'blocked') return;
      sayStandstill(words, event, event.isBlocked ? (event.why ?? 'unknown') : undefined);
    },
    count: () => {},
  };
}
