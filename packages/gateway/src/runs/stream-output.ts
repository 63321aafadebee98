/*
 * A run's output as server-sent events: everything from a cursor on, then the exit, then the end.
 *
 * It comes through the same readers as that of sockets (live/): one journal reader per run, and a stream that cannot keep up leaves
 * the others and reads on by itself. Each event has the cursor after it as its id, so a reader that comes back with its last id,
 * to this gateway or to the next one, gets every byte once. The reader's own cursor is the only state there is.
 */
import { type Clock, hasCode, type Log } from '@clawdfather/kit';
import type { Cursor, ManagedRun, RunRecord, Supervisor } from '@clawdfather/supervisor';
import { outputStart } from '@clawdfather/supervisor';
import { exitJson } from '@clawdfather/supervisor/exit-json';
import type { FastifyReply } from 'fastify';
import type { Chunk, Note } from '../live/chunk.ts';
import type { Following, LiveHub } from '../live/live-hub.ts';
import { type EventStream, formatEvent, openEventStream } from './event-stream.ts';

export interface StreamDeps {
  readonly supervisor: Supervisor;
  readonly hub: LiveHub;
  readonly clock: Clock;
  readonly log: Log;
}

export interface StreamRequest {
  readonly record: RunRecord;
  readonly cursor: string | undefined;
  readonly reply: FastifyReply;
  /* Called with what cuts the stream off, before anything is sent; may refuse it by throwing. */
  readonly onOpen: (drop: () => void) => () => void;
}

/* Rejects before anything was sent when the cursor is none of this run; after that it ends, whatever happens. */
export async function streamOutput(deps: StreamDeps, request: StreamRequest): Promise<void> {
  const { record, reply } = request;
  const run = await deps.supervisor.attach(record.runId);
  const from = (request.cursor ?? outputStart) as Cursor;
  await checkCursor(run, { from, record });
  const forget = request.onOpen(() => reply.raw.destroy());
  const stream = openEventStream(reply, deps.clock);
  try {
    await sendAll(deps, { stream, run, from });
    stream.end();
  } catch (error) {
    // The reader is gone or was too slow; or we are closing. It comes back with its last id, and misses nothing.
    const isExpected = stream.signal.aborted || hasCode(error, 'supervisor-closed');
    if (!isExpected) deps.log.warn('run.stream-failed', { runId: record.runId, error });
    stream.drop();
  } finally {
    forget();
  }
}

/* The first look tells whether the cursor can be read from; nothing is waited for. */
async function checkCursor(
  run: ManagedRun,
  { from, record }: { readonly from: Cursor; readonly record: RunRecord },
): Promise<void> {
  if (from === outputStart) return;
  try {
    for await (const _event of run.outputSoFar(from)) return;
  } catch (error) {
    /* It failed before it had a journal; its exit says why. */
    if (record.exit === undefined || !hasCode(error, 'journal-missing')) throw error;
  }
}

interface Sending {
  readonly stream: EventStream;
  readonly run: ManagedRun;
  readonly from: Cursor;
}

async function sendAll(deps: StreamDeps, { stream, run, from }: Sending): Promise<void> {
  const place = { at: from };
  let handle = run;
  for (;;) {
    try {
      await sendOutput(deps.hub, { stream, run: handle, place });
      const exit = await handle.wait(stream.signal);
      const data = { runId: run.runId, exit: exitJson(exit) };
      stream.send(formatEvent({ event: 'exit', id: place.at, data }));
      return;
    } catch (error) {
      if (stream.signal.aborted || !hasCode(error, 'epoch-stale', 'lease-lost')) throw error;
      // It has another owner now; a new handle reads on where the old one stopped.
      handle = await deps.supervisor.attach(run.runId);
    }
  }
}

interface Output {
  readonly stream: EventStream;
  readonly run: ManagedRun;
  /* How far the reader has come. */
  readonly place: { at: Cursor };
}

/* Resolves when all output was sent; rejects when the reader is gone, or when this process can no longer read the run. */
async function sendOutput(hub: LiveHub, { stream, run, place }: Output): Promise<void> {
  const { signal } = stream;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onGone = (): void => reject(signal.reason);
  signal.addEventListener('abort', onGone, { once: true });
  let following: Following | undefined;
  stream.onDrained(() => following?.drained());
  try {
    signal.throwIfAborted();
    following = hub.follow(run, place.at, {
      send: (chunk) => {
        place.at = chunk.after;
        const event = eventOf(chunk);
        return event === undefined || stream.send(event);
      },
      ended: resolve,
      lost: reject,
    });
    await promise;
  } catch (error) {
    /* It failed before it had a journal; its exit says why. */
    if (!hasCode(error, 'journal-missing')) throw error;
  } finally {
    following?.close();
    signal.removeEventListener('abort', onGone);
  }
}

function eventOf(chunk: Chunk): string | Uint8Array | undefined {
  if (chunk.kind === 'data') return chunk.event;
  const shown = noteJson(chunk.note);
  return shown && formatEvent({ ...shown, id: chunk.note.cursor });
}

function noteJson(note: Note): { readonly event: string; readonly data: unknown } | undefined {
  switch (note.kind) {
    case 'gap':
    case 'damaged':
    case 'tail-lost':
      return { event: note.kind, data: { missedBytes: note.missedBytes } };
    case 'resize':
      return { event: 'resize', data: { cols: note.cols, rows: note.rows } };
    case 'attached':
      return undefined;
  }
}
