/*
 * The local terminal while it is lent to a run: raw, and put back afterwards
 * whatever happens. Only SIGKILL leaves it as it is.
 */
import type { ModeTracker } from '@clawdfather/tools/terminal';
import type { Io, LocalTerminal } from '../io/io.ts';

export interface RawTerminal extends Disposable {
  readonly terminal: LocalTerminal;
}

export function openRawTerminal(
  io: Pick<Io, 'onProcessEnd' | 'signals'>,
  terminal: LocalTerminal,
  tracker: Pick<ModeTracker, 'undo'>,
): RawTerminal {
  let isLent = true;
  const giveBack = (): void => {
    if (!isLent) return;
    isLent = false;
    terminal.writeNow(tracker.undo());
    terminal.setRaw(false);
  };
  terminal.setRaw(true);
  const onEnd = io.onProcessEnd(giveBack);
  // A shell that had stopped us puts its own modes on the terminal.
  const onContinue = io.signals.on('SIGCONT', () => terminal.setRaw(isLent));
  return {
    terminal,
    [Symbol.dispose]: () => {
      onContinue[Symbol.dispose]();
      onEnd[Symbol.dispose]();
      giveBack();
    },
  };
}
