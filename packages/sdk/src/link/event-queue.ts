/*
 * Events between a socket that pushes and a reader that takes them one by one.
 *
 * It never refuses an event; it says when it holds enough (`onFull`) and when there is room again (`onRoom`), and whoever
 * fills it stops in between. One reader.
 */
import { createSignalBell } from '@clawdfather/kit';

/* Two of what the gateway holds for a socket: a reader that is behind by more gains nothing from a longer queue. */
export const queuedBytesMax = 1024 * 1024;
/* What an event costs beside its bytes, so that very many small ones are counted too. */
const eventBytes = 128;

export interface EventQueue<Event> {
  readonly isFull: boolean;
  push(event: Event): void;
  /* No more comes. What is queued is still read, then the reader ends, or gets the error. */
  end(failure?: { readonly error: unknown }): void;
  /* Nothing queued is read any more. */
  clear(): void;
  read(): AsyncGenerator<Event, void, undefined>;
}

export interface EventQueueOptions<Event> {
  /* What an event holds, beside itself. */
  readonly bytesOf: (event: Event) => number;
  readonly onFull: () => void;
  readonly onRoom: () => void;
}

export function createEventQueue<Event>({
  bytesOf,
  onFull,
  onRoom,
}: EventQueueOptions<Event>): EventQueue<Event> {
  const events: Event[] = [];
  const bell = createSignalBell();
  let bytes = 0;
  let isFull = false;
  let ended: { readonly failure: { readonly error: unknown } | undefined } | undefined;

  const take = (): Event | undefined => {
    const event = events.shift();
    if (event === undefined) return undefined;
    bytes -= eventBytes + bytesOf(event);
    if (isFull && bytes <= queuedBytesMax / 2) {
      isFull = false;
      onRoom();
    }
    return event;
  };

  return {
    get isFull() {
      return isFull;
    },
    push: (event) => {
      if (ended !== undefined) return;
      events.push(event);
      bytes += eventBytes + bytesOf(event);
      bell.ring();
      if (isFull || bytes < queuedBytesMax) return;
      isFull = true;
      onFull();
    },
    end: (failure) => {
      ended ??= { failure };
      bell.ring();
    },
    clear: () => {
      events.length = 0;
      bytes = 0;
    },
    read: async function* () {
      for (;;) {
        const event = take();
        if (event !== undefined) yield event;
        else if (ended === undefined) await bell.wait();
        else if (ended.failure === undefined) return;
        else throw ended.failure.error;
      }
    },
  };
}
