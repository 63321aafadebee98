/*
 * The screen as it was when our terminal arrived, for painting it there.
 *
 * History is never replayed to the terminal itself: it would answer old queries
 * into the live program (E8). It goes through the screen model instead, and the
 * model's picture is painted. History ends exactly at our own note in the
 * journal; from there on the output goes to the terminal as it is.
 *
 * Of a long history only the last part is parsed; what went before contributes
 * its modes, which a full-screen program sets once, at its start.
 */
import type { Cursor, OutputEvent } from '@clawdfather/supervisor';
import type { TerminalSize } from '../io/io.ts';
import type { ModeTracker } from './mode-tracker.ts';
import { createScreenModel } from './screen-model.ts';

/* A screen of dense colour is some 50 kB; parsing this much takes about a tenth of a second. */
const historyBytesMax = 2 * 1_024 * 1_024;

/* The size of a run whose journal does not say, because its beginning is gone. */
const assumedSize: TerminalSize = { cols: 120, rows: 30 };

export interface CatchUpOptions {
  /* What is in the journal. */
  readonly events: AsyncIterable<OutputEvent>;
  /* Position after the note about us; undefined when the run is over and nobody noted anything. */
  readonly until: Cursor | undefined;
  /* The terminal's own size: the picture is laid out for it. Undefined keeps the run's. */
  readonly size: TerminalSize | undefined;
  /* Follows everything, for the painting and for giving the terminal back. */
  readonly tracker: ModeTracker;
}

export interface CaughtUp {
  /* Bytes that paint the screen on an empty one. */
  readonly picture: string;
  /* Where the output goes on. */
  readonly reached: Cursor | undefined;
}

export async function catchUp(options: CatchUpOptions): Promise<CaughtUp> {
  const history = await collect(options);
  const model = createScreenModel({ size: history.sizeBefore, answer: () => {} });
  await model.write(history.modesBefore);
  let pending: Uint8Array[] = [];
  // In one piece: the model comes back to us at most a thousand times a second.
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(pending);
    pending = [];
    await model.write(bytes);
  };
  for (const event of history.events) {
    if (event.kind === 'output') pending.push(event.bytes);
    if (event.kind !== 'resize') continue;
    await flush();
    model.resize(event);
  }
  await flush();
  if (options.size !== undefined) model.resize(options.size);
  const picture = model.serialize() + options.tracker.apply();
  model.dispose();
  return { picture, reached: history.reached };
}

interface History {
  readonly events: readonly OutputEvent[];
  /* What the events that are not kept had switched on. */
  readonly modesBefore: string;
  readonly sizeBefore: TerminalSize;
  readonly reached: Cursor | undefined;
}

/* The tracker follows what is let go, and in the end what was kept: every byte is looked at once. */
async function collect({ events, until, tracker }: CatchUpOptions): Promise<History> {
  let kept: OutputEvent[] = [];
  /* Where those begin that are still wanted: taking away the first of very many would move them all. */
  let from = 0;
  let bytes = 0;
  let sizeBefore = assumedSize;
  let reached: Cursor | undefined;

  const dropFirst = (): void => {
    const first = kept[from];
    from += 1;
    if (from > kept.length / 2) {
      kept = kept.slice(from);
      from = 0;
    }
    if (first?.kind === 'resize') sizeBefore = { cols: first.cols, rows: first.rows };
    if (first?.kind !== 'output') return;
    bytes -= first.bytes.length;
    tracker.push(first.bytes);
  };

  for await (const event of events) {
    reached = event.cursor;
    if (event.kind === 'output') {
      // A copy: what is kept must not hold the reader's whole chunk, nor rely on it.
      kept.push({ ...event, bytes: Uint8Array.from(event.bytes) });
      bytes += event.bytes.length;
      while (bytes > historyBytesMax && kept.length - from > 1) dropFirst();
    } else kept.push(event);
    if (reached === until) break;
  }
  const modesBefore = (tracker.isAlternateScreen ? '\u001b[?1049h' : '') + tracker.apply();
  kept = kept.slice(from);
  for (const event of kept) if (event.kind === 'output') tracker.push(event.bytes);
  return { events: kept, modesBefore, sizeBefore, reached };
}
