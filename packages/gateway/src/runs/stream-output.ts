/*
 * A run's output as server-sent events: everything from a cursor on, then the exit, then the end.
 *
 * Each event has the cursor after it as its id, so a reader that comes back with its last id, to this gateway or to the next one,
 * gets every byte once. The reader's own cursor is the only state there is.
 */
import { type Clock, hasCode, type Log } from '@clawdfather/kit';
import type {
  Cursor,
  ManagedRun,
  OutputEvent,
  RunRecord,
  Supervisor,
} from '@clawdfather/supervisor';
import { outputStart } from '@clawdfather/supervisor';
import type { FastifyReply } from 'fastify';
import { formatTime } from '../http/format-time.ts';
import { openEventStream, type EventStream } from './event-stream.ts';
import { exitJson } from './run-json.ts';

export interface StreamDeps {
  readonly supervisor: Supervisor;
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
    await sendAll(deps.supervisor, { stream, run, from });
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
  try {
    for await (const _event of run.outputSoFar(from)) return;
  } catch (error) {
    /* It never got as far as a journal; its exit says why. */
    if (record.exit === undefined || !hasCode(error, 'journal-missing')) throw error;
  }
}

interface Sending {
  readonly stream: EventStream;
  readonly run: ManagedRun;
  readonly from: Cursor;
}

async function sendAll(supervisor: Supervisor, { stream, run, from }: Sending): Promise<void> {
  const place = { at: from };
  let handle = run;
  for (;;) {
    try {
      if (!(await sendOutput(handle, stream, place))) {
        await stream.room();
        continue;
      }
      const exit = await handle.wait(stream.signal);
      const data = { runId: run.runId, exit: exitJson(exit) };
      await stream.send({ event: 'exit', id: place.at, data });
      return;
    } catch (error) {
      if (stream.signal.aborted || !hasCode(error, 'epoch-stale', 'lease-lost')) throw error;
      // It has another owner now; a new handle reads on where the old one stopped.
      handle = await supervisor.attach(run.runId);
    }
  }
}

/* False when the reader is slow: what is read from is let go of, and opened again when there is room. */
async function sendOutput(
  run: ManagedRun,
  stream: EventStream,
  place: { at: Cursor },
): Promise<boolean> {
  try {
    for await (const event of run.outputLent(place.at, stream.signal)) {
      const shown = eventJson(event);
      const isTaken = shown === undefined || (await stream.send({ ...shown, id: event.cursor }));
      place.at = event.cursor;
      if (!isTaken) return false;
    }
  } catch (error) {
    /* It never got as far as a journal; its exit says why. */
    if (!hasCode(error, 'journal-missing')) throw error;
  }
  return true;
}

function eventJson(
  event: OutputEvent,
): { readonly event: string; readonly data: unknown } | undefined {
  switch (event.kind) {
    case 'output': {
      const { stream, bytes, atMs } = event;
      const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
      return { event: 'output', data: { stream, at: formatTime(atMs), data } };
    }
    case 'gap':
      return { event: 'gap', data: { missedBytes: event.missedBytes } };
    case 'damaged':
    case 'tail-lost':
      return { event: event.kind, data: { missedBytes: event.missedBytes } };
    case 'resize':
      return { event: 'resize', data: { cols: event.cols, rows: event.rows } };
    case 'attached':
      return undefined;
  }
}
