/*
 * The screen as it is now, from the journal, for a terminal that attaches.
 *
 * History is never replayed to the terminal itself: it would answer old queries
 * into the live program (E8). It goes through the screen model instead, and the
 * model's picture is painted. From the moment our own terminal counts as
 * attached until the painting, queries are ours to answer, and the model does.
 *
 * Of a long history only the last part is parsed; what went before contributes
 * its modes, which a full-screen program sets once, at its start.
 */
import type { OutputEvent } from '@clawdfather/supervisor';
import type { TerminalSize } from '../io/io.ts';
import type { EventFeed } from '../runs/event-feed.ts';
import { createModeTracker, type ModeTracker } from './mode-tracker.ts';
import { createScreenModel } from './screen-model.ts';

/* A screen of dense colour is some 50 kB; parsing this much takes about a tenth of a second. */
const historyBytesMax = 2 * 1_024 * 1_024;
/* No event for this long means that the end of the journal is reached; a busy disk pauses too. */
const quietMs = 60;
/* For a run that never pauses, should the clock have been set back under it. */
const catchUpMsMax = 20_000;

/* The size of a run whose journal does not say. */
const assumedSize: TerminalSize = { cols: 120, rows: 30 };

export interface CatchUpOptions {
  readonly feed: EventFeed;
  /* The terminal's own size: the picture is laid out for it. Undefined keeps the run's. */
  readonly size: TerminalSize | undefined;
  /* We are the ones who answer, once the note about us has passed. */
  readonly isAnswerer: boolean;
  /* Output from this moment on is no history: a run that never pauses is painted as it was then. */
  readonly arrivedAtMs: number;
  readonly elapsedMs: () => number;
  /* Follows everything, for the painting and for giving the terminal back. */
  readonly tracker: ModeTracker;
}

export interface CaughtUp {
  /* Bytes that paint the current screen on an empty one. */
  readonly picture: string;
  /* Answers that the run still waits for. */
  readonly answers: string;
  readonly runSize: TerminalSize;
  readonly isEnded: boolean;
}

export async function catchUp(options: CatchUpOptions): Promise<CaughtUp> {
  const history = await collect(options);
  let isAnswering = false;
  let answers = '';
  const model = createScreenModel({
    size: history.sizeBefore,
    answer: (text) => {
      if (isAnswering) answers += text;
    },
  });
  await model.write(history.modesBefore);
  const ownNoteAt = options.isAnswerer ? lastArrival(history.events) : -1;
  let runSize = history.sizeBefore;
  for (const [index, event] of history.events.entries()) {
    if (event.kind === 'output') await model.write(event.bytes);
    if (event.kind === 'resize') {
      runSize = { cols: event.cols, rows: event.rows };
      model.resize(runSize);
    }
    if (index === ownNoteAt) isAnswering = true;
  }
  if (options.size !== undefined) model.resize(options.size);
  const picture = model.serialize() + options.tracker.apply();
  model.dispose();
  return { picture, answers, runSize, isEnded: history.isEnded };
}

interface History {
  readonly events: readonly OutputEvent[];
  /* What the events that are not kept had switched on. */
  readonly modesBefore: string;
  readonly sizeBefore: TerminalSize;
  readonly isEnded: boolean;
}

async function collect(options: CatchUpOptions): Promise<History> {
  const dropped = createModeTracker();
  const events: OutputEvent[] = [];
  let bytes = 0;
  let sizeBefore = assumedSize;
  let isEnded = false;

  const dropFirst = (): void => {
    const first = events.shift();
    if (first?.kind === 'resize') sizeBefore = { cols: first.cols, rows: first.rows };
    if (first?.kind !== 'output') return;
    bytes -= first.bytes.length;
    dropped.push(first.bytes);
  };

  let isCaughtUp = false;
  while (!isCaughtUp && options.elapsedMs() < catchUpMsMax) {
    const step = await options.feed.nextWithin(quietMs);
    if (step.kind === 'quiet') break;
    if (step.kind === 'end') {
      isEnded = true;
      break;
    }
    if (step.event.kind !== 'output') {
      events.push(step.event);
      continue;
    }
    // A copy: what is kept must not hold the reader's whole chunk, nor rely on it.
    const event = { ...step.event, bytes: Uint8Array.from(step.event.bytes) };
    events.push(event);
    options.tracker.push(event.bytes);
    bytes += event.bytes.length;
    isCaughtUp = event.atMs > options.arrivedAtMs;
    while (bytes > historyBytesMax && events.length > 1) dropFirst();
  }
  const modesBefore = (dropped.isAlternateScreen ? '\u001b[?1049h' : '') + dropped.apply();
  return { events, modesBefore, sizeBefore, isEnded };
}

/* The note that says a terminal came where none was: ours, when we are the answerer. */
function lastArrival(events: readonly OutputEvent[]): number {
  let terminals = 0;
  let found = -1;
  for (const [index, event] of events.entries()) {
    if (event.kind !== 'attached') continue;
    if (event.terminals > terminals) found = index;
    terminals = event.terminals;
  }
  return found;
}
