/*
 * A run's output as something that can be asked "anything more right now?".
 *
 * An async iterator cannot be: a pending `next` may not be given up. The feed
 * keeps that pending promise, so that asking with a limit loses nothing.
 */
import type { Clock } from '@clawdfather/kit';
import type { OutputEvent } from '@clawdfather/supervisor';

export type FeedStep =
  | { readonly kind: 'event'; readonly event: OutputEvent }
  | { readonly kind: 'end' }
  /* Nothing came within the limit. */
  | { readonly kind: 'quiet' };

export interface EventFeed {
  next(): Promise<FeedStep>;
  nextWithin(ms: number): Promise<FeedStep>;
}

export function createEventFeed(events: AsyncIterable<OutputEvent>, clock: Clock): EventFeed {
  const iterator = events[Symbol.asyncIterator]();
  let pending: Promise<FeedStep> | undefined;

  const pull = (): Promise<FeedStep> => {
    pending ??= iterator
      .next()
      .then(
        (step): FeedStep =>
          step.done === true ? { kind: 'end' } : { kind: 'event', event: step.value },
      );
    return pending;
  };

  return {
    next: async () => {
      const step = await pull();
      pending = undefined;
      return step;
    },
    nextWithin: async (ms) => {
      const given = new AbortController();
      const quiet = clock.sleep(ms, given.signal).then(
        (): FeedStep => ({ kind: 'quiet' }),
        // Aborted below, when the event won.
        (): FeedStep => ({ kind: 'quiet' }),
      );
      const step = await Promise.race([pull(), quiet]);
      given.abort();
      if (step.kind !== 'quiet') pending = undefined;
      return step;
    },
  };
}
