/*
 * Progress of a call that waits: a sign of life for clients that asked for one.
 *
 * At most one per second while there is output, one per five seconds while there is none: clients reset their own time limits
 * on it, so silence of the command must not look like silence of the server. The value is milliseconds waited, which only
 * grows, as the protocol wants; the total is when the call returns at the latest.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import { progressHeartbeatMs, progressIntervalMs, progressMessageCharactersMax } from './limits.ts';

export interface Progress extends Disposable {
  /* Cleaned text, as it comes. */
  readonly output: (text: string) => void;
}

export interface ProgressReport {
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}

export interface ProgressDeps {
  readonly clock: Clock;
  readonly totalMs: number;
  readonly send: (report: ProgressReport) => void;
}

export function createProgress(deps: ProgressDeps): Progress {
  const startedMs = deps.clock.monotonicMs();
  let sentMs = 0;
  let lastLine = '';
  let isNew = false;
  let timer: Timer | undefined;

  const waitedMs = (): number => deps.clock.monotonicMs() - startedMs;
  const arm = (): void => {
    timer?.cancel();
    const intervalMs = isNew ? progressIntervalMs : progressHeartbeatMs;
    timer = deps.clock.timer(Math.max(0, sentMs + intervalMs - waitedMs()), send);
    timer.unref();
  };
  const send = (): void => {
    const progress = Math.round(waitedMs());
    const message = isNew ? lastLine : `running for ${Math.round(progress / 1_000)} s`;
    isNew = false;
    // Two in one millisecond would not grow.
    if (progress > sentMs) deps.send({ progress, total: deps.totalMs, message });
    sentMs = Math.max(progress, sentMs);
    arm();
  };

  arm();
  return {
    output: (text) => {
      const line = lastLineOf(text);
      if (line === '') return;
      lastLine = line;
      if (isNew) return;
      isNew = true;
      arm();
    },
    [Symbol.dispose]: () => timer?.cancel(),
  };
}

function lastLineOf(text: string): string {
  const lines = text.slice(-4 * progressMessageCharactersMax).split('\n');
  const line = lines.findLast((one) => one.trim() !== '') ?? '';
  return line.trim().slice(0, progressMessageCharactersMax);
}
