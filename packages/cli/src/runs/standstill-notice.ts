/*
 * J4: a run whose journal cannot be written, on a full disk say, stands still until
 * it can. Whoever waits in front of it is told why nothing moves.
 */
import type { SupervisorObserver } from '@clawdfather/supervisor';
import { makeVisible } from '@clawdfather/tools/text';
import type { Io } from '../io/io.ts';
import { shortId } from './find-run.ts';

export function createStandstillNotice(
  io: Pick<Io, 'stderr'>,
  isQuiet: boolean,
): SupervisorObserver {
  return {
    event: (event) => {
      if (event.type !== 'blocked' || isQuiet) return;
      const text = event.isBlocked
        ? `stands still: its output cannot be kept (${makeVisible(event.why ?? 'unknown')})`
        : 'goes on';
      const line = `clf: run ${shortId(event)} ${text}`;
      // A terminal that is lent to the run is a raw one, where a new line does not begin at the left.
      void io.stderr.write(io.stderr.isTerminal ? `\r${line}\r\n` : `${line}\n`).catch(() => {});
    },
    count: () => {},
  };
}
