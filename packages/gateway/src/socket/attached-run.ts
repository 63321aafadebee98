/*
 * One run that a socket follows: turns its output into messages.
 */
import type { ServerMessage } from '@clawdfather/protocol/api';
import { type Cursor, outputStart, type RunExit, type TerminalRole } from '@clawdfather/supervisor';
import type { Chunk, Note } from '../live/chunk.ts';
import type { Following, LiveHub } from '../live/live-hub.ts';
import type { Sink } from '../live/live-reader.ts';
import type { Outbox } from './outbox.ts';
import type { SharedRun } from './shared-runs.ts';
import { createTerminalRow } from './terminal-row.ts';

export interface AttachRequest {
  readonly from: Cursor | undefined;
  readonly isBinary: boolean;
  readonly as: 'viewer' | 'terminal';
}

export interface AttachDeps {
  readonly hub: LiveHub;
  readonly outbox: Outbox;
  readonly shared: SharedRun;
  readonly onEnded: (exit: RunExit) => void;
  readonly onLost: (error: unknown) => void;
}

export interface AttachedRun {
  readonly shared: SharedRun;
  /* The place of a terminal; undefined for a viewer. */
  readonly role: TerminalRole | undefined;
  /* Begins to send; the rest is called only after this. */
  follow(): void;
  drained(): void;
  close(): void;
}

export async function openAttachedRun(
  deps: AttachDeps,
  { from = outputStart, isBinary, as }: AttachRequest,
): Promise<AttachedRun> {
  const { hub, outbox, shared } = deps;
  const { run } = shared;
  const { runId } = run;
  // A run that has ended or has no terminal asks nothing; its output is shown all the same.
  const role = as === 'terminal' ? await openRole(shared) : undefined;
  outbox.send({
    type: 'terminal.attached',
    run_id: runId,
    cursor: from,
    as: role === undefined ? 'viewer' : 'terminal',
  });
  const tell = createNoteTeller(outbox, runId, role);
  const sink: Sink = {
    send: (chunk) => {
      if (chunk.kind === 'note') {
        tell(chunk.note, chunk);
        return !outbox.isFull;
      }
      return outbox.sendChunk(chunk, isBinary);
    },
    ended: () => {
      run.wait().then(deps.onEnded, deps.onLost);
    },
    lost: deps.onLost,
  };
  let following: Following | undefined;
  let isClosed = false;
  return {
    shared,
    role,
    follow: () => {
      if (!isClosed) following = hub.follow(run, from, sink);
    },
    drained: () => following?.drained(),
    close: () => {
      if (isClosed) return;
      isClosed = true;
      following?.close();
      shared.release();
      // Nothing is lost if the shim is gone: then no terminal is attached either.
      role?.close().catch(() => {});
    },
  };
}

async function openRole({ run }: SharedRun): Promise<TerminalRole | undefined> {
  if (run.snapshot().mode === 'child') return undefined;
  return run.openTerminal().catch(() => undefined);
}

function createNoteTeller(
  outbox: Outbox,
  runId: string,
  role: TerminalRole | undefined,
): (note: Note, place: Pick<Chunk, 'before' | 'after'>) => void {
  const row = role === undefined ? undefined : createTerminalRow(role);
  return (note, { before, after }) => {
    const message = messageOf(note, runId, before);
    if (message !== undefined) outbox.send(message);
    if (row?.hear(note)) outbox.send({ type: 'terminal.answers', run_id: runId, cursor: after });
  };
}

function messageOf(note: Note, runId: string, before: Cursor): ServerMessage | undefined {
  const { cursor } = note;
  switch (note.kind) {
    case 'gap':
      return {
        type: 'gap',
        run_id: runId,
        from: before,
        to: cursor,
        missed_bytes: note.missedBytes,
      };
    case 'resize':
      return {
        type: 'terminal.resized',
        run_id: runId,
        cols: note.cols,
        rows: note.rows,
        cursor,
      };
    case 'damaged':
      return {
        type: 'damaged',
        run_id: runId,
        from: before,
        to: cursor,
        missed_bytes: note.missedBytes,
      };
    case 'tail-lost':
      return { type: 'tail_lost', run_id: runId, cursor, missed_bytes: note.missedBytes };
    case 'attached':
      // Told to those whom it concerns.
      return undefined;
  }
}
