/*
 * What a person would see of a PTY run, asked for again and again: each look reads on from where the last one stopped.
 *
 * The first look at a long history costs a reading of all of it and a drawing of its end (replay-output.ts); the next
 * ones cost what was said in between.
 */
import type { Cursor, ManagedRun } from '@clawdfather/supervisor';
import { formatPicture } from './format-picture.ts';
import { type Replayed, replayOutput } from './replay-output.ts';
import type { Screen, TerminalModes } from './terminal-model.ts';

export interface ScreenLook {
  readonly screen: Screen;
  readonly modes: TerminalModes;
  /* Position up to which the screen is true. */
  readonly cursor: Cursor | undefined;
  /* Output that was too old to be drawn; its modes are known, what it painted may be missing. */
  readonly skippedBytes: number;
}

export interface PaintedScreen extends ScreenLook {
  /* Paints this very screen on an empty terminal. */
  readonly picture: string;
}

/* Looks are taken one after the other, also when asked at once. */
export interface ScreenFollower {
  look(signal?: AbortSignal): Promise<ScreenLook>;
  /* Costs more than a look: every cell is written out with its colours. */
  paint(signal?: AbortSignal): Promise<PaintedScreen>;
  close(): Promise<void>;
}

export function openScreenFollower(run: Pick<ManagedRun, 'outputSoFar'>): ScreenFollower {
  let replayed: Replayed | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const readOn = async (signal: AbortSignal | undefined): Promise<Replayed> => {
    const before = replayed;
    // A look that fails half-way leaves nothing to go on from; the next one begins anew.
    replayed = undefined;
    try {
      const events = run.outputSoFar(before?.reached, signal);
      replayed = await replayOutput({ events, before });
    } catch (error) {
      before?.model.close();
      throw error;
    }
    return replayed;
  };
  const inTurn = <Look>(take: () => Promise<Look>): Promise<Look> => {
    const taken = last.then(take);
    last = taken.catch(() => {});
    return taken;
  };

  return {
    look: (signal) => inTurn(async () => lookAt(await readOn(signal))),
    paint: (signal) =>
      inTurn(async () => {
        const now = await readOn(signal);
        return { ...lookAt(now), picture: formatPicture(now.model, now.tracker) };
      }),
    close: async () => {
      await last;
      replayed?.model.close();
      replayed = undefined;
    },
  };
}

function lookAt({ model, tracker, reached, skippedBytes }: Replayed): ScreenLook {
  return { screen: model.screen(), modes: tracker.modes(), cursor: reached, skippedBytes };
}
