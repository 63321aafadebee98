/*
 * Server-sent events to one reader, at the reader's own pace.
 *
 * What waits in the connection is bounded: the sender is told when it is full, and sends no more until it is drained. A reader
 * that takes nothing for half a minute is dropped; it comes back with the id of its last event and goes on there. A comment now
 * and then keeps proxies from taking a quiet stream for a dead one.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import type { FastifyReply } from 'fastify';
import { stalledMs, unsentBytesMax } from '../live/limits.ts';

export interface StreamEvent {
  readonly event: string;
  /* What a reader hands back to go on after this event. */
  readonly id: string;
  readonly data: unknown;
}

export interface EventStream {
  /* Aborts when the reader is gone, or was dropped. */
  readonly signal: AbortSignal;
  /* A whole event, as `formatEvent` makes it. False: no more until it is drained. */
  send(event: string | Uint8Array): boolean;
  /* Calls back whenever a stream that was full has room again. */
  onDrained(listener: () => void): void;
  /* Everything was sent. */
  end(): void;
  /* Cuts it off; the reader may come back. */
  drop(): void;
}

/* Proxies cut at 60 s, some at 30. */
const keepAliveMs = 20_000;
/* How soon a browser comes back. */
const retryMs = 1_000;

export function openEventStream(reply: FastifyReply, clock: Clock): EventStream {
  const { raw } = reply;
  const gone = new AbortController();
  reply.hijack();
  const headers = {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream',
    // Some proxies would wait for a full buffer.
    'x-accel-buffering': 'no',
  };
  raw.writeHead(200, headers as Record<string, string>);
  let keepAlive: Timer | undefined;
  const beat = (): void => {
    keepAlive = clock.timer(keepAliveMs, () => {
      if (!raw.writableNeedDrain) raw.write(': alive\n\n');
      beat();
    });
    keepAlive.unref();
  };
  /* Running while the stream is full. */
  let stalled: Timer | undefined;
  let onDrained = (): void => {};
  raw.on('drain', () => {
    if (stalled === undefined) return;
    stalled.cancel();
    stalled = undefined;
    onDrained();
  });
  raw.once('close', () => {
    keepAlive?.cancel();
    stalled?.cancel();
    gone.abort(new Error('the reader is gone'));
  });
  raw.on('error', () => raw.destroy()); /* the reader went away while we wrote; `close` follows */
  raw.write(`retry: ${retryMs}\n\n`);
  beat();
  return {
    signal: gone.signal,
    send: (event) => {
      if (gone.signal.aborted) return false;
      raw.write(event);
      if (raw.writableLength < unsentBytesMax) return true;
      stalled ??= clock.timer(stalledMs, () => raw.destroy());
      return false;
    },
    onDrained: (listener) => {
      onDrained = listener;
    },
    end: () => raw.end(),
    drop: () => raw.destroy(),
  };
}

export function formatEvent({ event, id, data }: StreamEvent): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
