/*
 * Handles on runs that sockets follow or type into, one per run however many sockets: a shim takes few connections, and a
 * handle keeps its own as long as it has a reader.
 *
 * Input of all sockets goes through one row per run, in the order in which it came. What waits there is counted, so that a
 * socket is not read while its run is not reading.
 */
import type {
  ManagedRun,
  RunId,
  SizeHold,
  Supervisor,
  TerminalSize,
} from '@clawdfather/supervisor';
import { ApiError } from '../http/api-error.ts';
import { fitsPerRunMax } from './limits.ts';

export interface InputItem {
  readonly bytes: Uint8Array;
  readonly isEof: boolean;
  /* Called once: it was taken, it was refused, or (`dropped`) its sender left before its turn. */
  readonly onSettled: (failure: unknown) => void;
}

export interface SharedRun {
  readonly run: ManagedRun;
  /* Call the result to take it back, if it still waits. */
  input(item: InputItem): () => void;
  /* Until it is closed or this process is gone; then the terminal has the size from before. */
  fit(size: TerminalSize): Promise<SizeHold>;
  /* Another hold on the same run. */
  share(): SharedRun;
  release(): void;
}

export interface SharedRuns {
  acquire(runId: RunId): Promise<SharedRun>;
}

interface Entry {
  readonly opening: Promise<ManagedRun>;
  readonly row: Set<InputItem>;
  users: number;
  fits: number;
  isPumping: boolean;
}

export function createSharedRuns(supervisor: Pick<Supervisor, 'attach'>): SharedRuns {
  const entries = new Map<RunId, Entry>();

  const leave = (runId: RunId, entry: Entry): void => {
    entry.users -= 1;
    if (entry.users === 0 && entries.get(runId) === entry) entries.delete(runId);
  };

  const hold = (run: ManagedRun, entry: Entry): SharedRun => {
    entry.users += 1;
    return {
      run,
      input: (item) => {
        entry.row.add(item);
        void pumpInput(run, entry);
        return () => {
          if (entry.row.delete(item)) item.onSettled('dropped');
        };
      },
      fit: (size) => openFit(run, entry, size),
      share: () => hold(run, entry),
      release: () => leave(run.runId, entry),
    };
  };

  return {
    acquire: async (runId) => {
      const known = entries.get(runId);
      const entry = known ?? newEntry(supervisor.attach(runId));
      if (known === undefined) entries.set(runId, entry);
      // Held, so that it is not released while it opens.
      entry.users += 1;
      try {
        return hold(await entry.opening, entry);
      } finally {
        leave(runId, entry);
      }
    },
  };
}

function newEntry(opening: Promise<ManagedRun>): Entry {
  return { opening, row: new Set(), users: 0, fits: 0, isPumping: false };
}

async function openFit(run: ManagedRun, entry: Entry, size: TerminalSize): Promise<SizeHold> {
  if (entry.fits >= fitsPerRunMax) {
    throw new ApiError('run_limit_reached', `${fitsPerRunMax} clients hold the size of this run`);
  }
  entry.fits += 1;
  try {
    const held = await run.holdSize(size);
    return {
      resize: (wanted) => held.resize(wanted),
      close: async () => {
        entry.fits -= 1;
        await held.close();
      },
    };
  } catch (error) {
    entry.fits -= 1;
    throw error;
  }
}

async function pumpInput(run: ManagedRun, entry: Entry): Promise<void> {
  if (entry.isPumping) return;
  entry.isPumping = true;
  // Started later, so that the caller of the first item can already take it back when its end is reported.
  await Promise.resolve();
  for (const item of entry.row) {
    entry.row.delete(item);
    try {
      if (item.bytes.length > 0) await run.write(item.bytes);
      if (item.isEof) await run.end();
      item.onSettled(undefined);
    } catch (error) {
      item.onSettled(error);
    }
  }
  entry.isPumping = false;
}
