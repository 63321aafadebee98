/*
 * Server-sent events to one reader, at the reader's own pace.
 *
 * Nothing is queued here: an event is written when the one before it has gone into the socket, so a slow reader costs one event
 * of memory (checklist 20). Whoever sends is told when the reader is slow, and lets go of what it reads from until there is room.
 * A reader that takes nothing for half a minute is dropped; it comes back with the id of its last event and goes on there. A
 * comment now and then keeps proxies from taking a quiet stream for a dead one.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import type { FastifyReply } from 'fastify';

export interface StreamEvent {
  readonly event: string;
  /* What a reader hands back to go on after this event. */
  readonly id: string;
  readonly data: unknown;
}

export interface EventStream {
  /* Aborts when the reader is gone, or was dropped. */
  readonly signal: AbortSignal;
  /* Resolves to true when there is room for the next one; to false when that takes long. Rejects when the reader is gone. */
  send(event: StreamEvent): Promise<boolean>;
  /* Resolves when there is room again. */
  room(): Promise<void>;
  /* All was said. */
  end(): void;
  /* Cuts it off; the reader may come back. */
  drop(): void;
}

/* Proxies cut at 60 s, some at 30. */
const keepAliveMs = 20_000;
/* A phone in a tunnel comes back within it, or with its cursor. */
const stalledMs = 30_000;
/* Longer than a busy reader takes, and shorter than anybody would hold a read buffer for. */
const slowMs = 100;
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
  let stalled: Timer | undefined;
  let drained = Promise.withResolvers<void>();
  raw.on('drain', () => {
    stalled?.cancel();
    stalled = undefined;
    drained.resolve();
    drained = Promise.withResolvers();
  });
  raw.once('close', () => {
    keepAlive?.cancel();
    stalled?.cancel();
    drained.resolve();
    gone.abort(new Error('the reader is gone'));
  });
  const room = async (): Promise<void> => {
    if (raw.writableNeedDrain) await drained.promise;
    gone.signal.throwIfAborted();
  };
  raw.on('error', () => raw.destroy()); /* the reader went away while we wrote; `close` follows */
  raw.write(`retry: ${retryMs}\n\n`);
  beat();
  return {
    signal: gone.signal,
    send: async (event) => {
      gone.signal.throwIfAborted();
      if (raw.write(formatEvent(event))) return true;
      stalled ??= clock.timer(stalledMs, () => raw.destroy());
      return isSoon(clock, room());
    },
    room,
    end: () => raw.end(),
    drop: () => raw.destroy(),
  };
}

export function formatEvent({ event, id, data }: StreamEvent): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

async function isSoon(clock: Clock, room: Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = clock.timer(slowMs, () => resolve(false));
  try {
    return await Promise.race([room.then(() => true), late]);
  } finally {
    timer.cancel();
    room.catch(() => undefined); /* whoever waits on hears it from there */
  }
}
