/*
 * Numbered rows as server-sent events: everything after a number, then what comes. Each has its number as id, so a reader that comes
 * back, to this gateway or another, goes on exactly there.
 */
import { type Clock, createSignalBell } from '@clawdfather/kit';
import type { FastifyReply } from 'fastify';
import { openEventStream } from '../runs/event-stream.ts';
import { followNumbered, type Numbered, type NumberedRows } from './follow-numbered.ts';

export interface StreamRequest<Row extends Numbered> {
  readonly rows: NumberedRows<Row>;
  readonly after: number;
  /* Whole events, as `formatEvent` makes them: of this row, and of what has to be said before it. */
  readonly format: (row: Row, at: number) => string;
  /* Sent before everything else. */
  readonly first?: string | undefined;
  readonly reply: FastifyReply;
  /* Called with what cuts the stream off, before anything is sent; may refuse it by throwing. */
  readonly onOpen: (drop: () => void) => () => void;
  /* It broke, and not because the reader is gone. */
  readonly onFailed: (error: unknown) => void;
}

export async function streamNumbered<Row extends Numbered>(
  { clock }: { readonly clock: Clock },
  request: StreamRequest<Row>,
): Promise<void> {
  const { rows, after, format, first, reply } = request;
  const forget = request.onOpen(() => reply.raw.destroy());
  const stream = openEventStream(reply, clock);
  const { signal } = stream;
  const drained = createSignalBell();
  stream.onDrained(() => drained.ring());
  if (first !== undefined) stream.send(first);
  let at = after;
  const sink = (row: Row): Promise<void> | undefined => {
    const isRoom = stream.send(format(row, at));
    at = row.seq;
    return isRoom ? undefined : drained.wait(signal);
  };
  try {
    await followNumbered({ rows, clock }, { after, sink }, signal);
  } catch (error) {
    // The reader is gone or was too slow. It comes back with its last id, and misses nothing.
    if (!signal.aborted) request.onFailed(error);
    stream.drop();
  } finally {
    forget();
  }
}
