/*
 * Tells an agent's shim what is stored of its journal, now and then: a message each, and the shim drops whole segments only. What is not
 * told yet is held a little longer, and read again by nobody, because the cursor is stored.
 *
 * No commit waits for it. What fails is thrown at the next call.
 */
import type { Clock } from '@clawdfather/kit';
import type { Cursor, ManagedRun } from '@clawdfather/supervisor';
import { isOver } from './is-over.ts';
import type { CrashPoint } from './ports.ts';

export interface Acknowledgements {
  /* All before this cursor is stored; so many bytes are new. */
  stored(cursor: Cursor, bytes: number): void;
  /* Tells the last one. */
  finish(): Promise<void>;
}

export interface AcknowledgementsDeps {
  readonly run: Pick<ManagedRun, 'acknowledge'>;
  readonly clock: Clock;
  readonly onPoint?: ((point: CrashPoint) => void) | undefined;
}

/* A hundredth of what a journal may hold. */
const bytesMax = 1024 * 1024;
const everyMs = 1_000;

export function createAcknowledgements(deps: AcknowledgementsDeps): Acknowledgements {
  const { run, clock, onPoint } = deps;
  let untold: Cursor | undefined;
  let bytes = 0;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  let telling: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  const tell = async (cursor: Cursor): Promise<void> => {
    try {
      onPoint?.('before-acknowledge');
      await run.acknowledge(cursor);
      onPoint?.('after-acknowledge');
    } catch (error) {
      if (!isOver(error)) failure = { error };
    }
  };
  const begin = (): void => {
    if (untold === undefined) return;
    telling = tell(untold).finally(() => {
      telling = undefined;
    });
    untold = undefined;
    bytes = 0;
    toldAtMs = clock.monotonicMs();
  };
  const throwIfFailed = (): void => {
    if (failure !== undefined) throw failure.error;
  };
  return {
    stored: (cursor, more) => {
      throwIfFailed();
      untold = cursor;
      bytes += more;
      const isDue = bytes >= bytesMax || clock.monotonicMs() - toldAtMs >= everyMs;
      if (isDue && telling === undefined) begin();
    },
    finish: async () => {
      await telling;
      throwIfFailed();
      begin();
      await telling;
      throwIfFailed();
    },
  };
}
