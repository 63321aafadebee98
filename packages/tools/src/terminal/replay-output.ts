/*
 * A run's output so far, brought into a terminal model without drawing all that was ever said.
 *
 * A model draws some 50 MB a second, a mode tracker follows a few hundred. So of a long history only the last part is
 * drawn; what went before is followed, and contributes its size, its modes and its title, which a full-screen program
 * sets once at its start. What such a program drew before that part and never again is missing; `skippedBytes` says when
 * that can be.
 */
import type { Cursor, OutputEvent } from '@clawdfather/supervisor';
import { createModeTracker, type ModeTracker } from './mode-tracker.ts';
import { openTerminalModel, type TerminalModel } from './terminal-model.ts';
import type { TerminalSize } from './terminal-size.ts';

/* A screen of dense colour is some 50 kB; drawing this much takes about a fifth of a second. */
const drawnBytesUsual = 8 * 1_024 * 1_024;

/* The size of a run whose journal does not say, because its beginning is gone. */
const assumedSize: TerminalSize = { cols: 120, rows: 30 };

export interface ReplayOptions {
  readonly events: AsyncIterable<OutputEvent>;
  /* Stop at this position; undefined goes on to the end of the events. */
  readonly until?: Cursor | undefined;
  /* Follows every byte. Default: one of our own. */
  readonly tracker?: ModeTracker;
  /* What went before these events; it is drawn on, unless they are too many. */
  readonly before?: Replayed | undefined;
  readonly drawnBytesMax?: number;
}

export interface Replayed {
  /* The caller closes it. */
  readonly model: TerminalModel;
  readonly tracker: ModeTracker;
  /* Position after the last event; undefined when there was none. */
  readonly reached: Cursor | undefined;
  /* Of the output before what was drawn. */
  readonly skippedBytes: number;
}

/* If it rejects, `before` is no longer good for anything but closing. */
export async function replayOutput(options: ReplayOptions): Promise<Replayed> {
  const { before } = options;
  const tracker = options.tracker ?? before?.tracker ?? createModeTracker();
  const history = await collect(options, tracker);
  const isDrawnOn = before !== undefined && history.skippedBytes === 0;
  if (!isDrawnOn) before?.model.close();
  const model = isDrawnOn ? before.model : await openTerminalModel(history.sizeBefore);
  if (!isDrawnOn) await model.write(history.modesBefore);
  await draw(model, history.events);
  return {
    model,
    tracker,
    reached: history.reached ?? before?.reached,
    skippedBytes: history.skippedBytes + (before?.skippedBytes ?? 0),
  };
}

async function draw(model: TerminalModel, events: readonly OutputEvent[]): Promise<void> {
  let pending: Uint8Array[] = [];
  // In one piece: the model comes back to us at most a thousand times a second.
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(pending);
    pending = [];
    await model.write(bytes);
  };
  for (const event of events) {
    pending.push(bytesOf(event));
    if (event.kind !== 'resize') continue;
    await flush();
    model.resize(event);
  }
  await flush();
}

/* Where something was lost, half a sequence may be missing: CAN makes what follows begin anew. */
const cancel = Uint8Array.of(0x18);
const none = new Uint8Array(0);

function bytesOf(event: OutputEvent): Uint8Array {
  if (event.kind === 'output') return event.bytes;
  return ['gap', 'damaged', 'tail-lost'].includes(event.kind) ? cancel : none;
}

interface History {
  readonly events: readonly OutputEvent[];
  /* What the events that are not kept had switched on. */
  readonly modesBefore: string;
  readonly sizeBefore: TerminalSize;
  readonly reached: Cursor | undefined;
  readonly skippedBytes: number;
}

/* The tracker follows what is let go, and in the end what was kept: every byte is looked at once. */
async function collect(options: ReplayOptions, tracker: ModeTracker): Promise<History> {
  const bytesMax = options.drawnBytesMax ?? drawnBytesUsual;
  let kept: OutputEvent[] = [];
  /* Where those begin that are still wanted: taking away the first of very many would move them all. */
  let from = 0;
  let bytes = 0;
  let skippedBytes = 0;
  let sizeBefore = sizeOf(options.before);
  let reached: Cursor | undefined;

  const dropFirst = (): void => {
    const first = kept[from];
    from += 1;
    if (from > kept.length / 2) {
      kept = kept.slice(from);
      from = 0;
    }
    if (first?.kind === 'resize') sizeBefore = { cols: first.cols, rows: first.rows };
    if (first === undefined) return;
    const drawn = bytesOf(first);
    tracker.push(drawn);
    if (first.kind !== 'output') return;
    bytes -= drawn.length;
    skippedBytes += drawn.length;
  };

  for await (const event of options.events) {
    reached = event.cursor;
    if (event.kind === 'output') {
      // A copy: what is kept must not hold the reader's whole chunk, nor rely on it.
      kept.push({ ...event, bytes: Uint8Array.from(event.bytes) });
      bytes += event.bytes.length;
      while (bytes > bytesMax && kept.length - from > 1) dropFirst();
    } else kept.push(event);
    if (reached === options.until) break;
  }
  const modesBefore = formatModes(tracker);
  kept = kept.slice(from);
  for (const event of kept) tracker.push(bytesOf(event));
  return { events: kept, modesBefore, sizeBefore, reached, skippedBytes };
}

function formatModes(tracker: ModeTracker): string {
  const screen = tracker.isAlternateScreen ? '\u001b[?1049h' : '';
  const title = tracker.title === '' ? '' : `\u001b]2;${tracker.title}\u001b\\`;
  return screen + title + tracker.apply();
}

function sizeOf(before: Replayed | undefined): TerminalSize {
  if (before === undefined) return assumedSize;
  const { cols, rows } = before.model.screen();
  return { cols, rows };
}
