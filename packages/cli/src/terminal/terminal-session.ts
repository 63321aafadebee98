/*
 * A local terminal in front of a run, from arriving to leaving.
 *
 * Stages: paint what the screen looks like now; pass output and keys until the run ends, the person detaches or the terminal is
 * lost; give the terminal back as it was.
 *
 * E8: only the first attached terminal answers what programs ask their terminal, and only it sets the size. The
 * others look on: queries are taken out of what they are shown.
 */
import type { Clock } from '@clawdfather/kit';
import type { OutputEvent } from '@clawdfather/supervisor';
import {
  createModeTracker,
  createQueryFilter,
  type ModeTracker,
} from '@clawdfather/tools/terminal';
import { type Io, isReaderGone, type LocalTerminal, type TerminalSize } from '../io/io.ts';
import { pumpKeys } from './key-pump.ts';
import { createLostNotice, type LostNotice } from './lost-notice.ts';
import { openRawTerminal } from './raw-terminal.ts';
import type { Picture, TerminalFeed } from './terminal-feed.ts';

/* Why the local terminal and the run parted. */
export type SessionEnd = 'run-ended' | 'detached' | 'terminal-lost';

export interface TerminalSessionOptions {
  /* Opens the run's side; the signal ends it. */
  readonly open: (signal: AbortSignal, onLost: () => void) => Promise<TerminalFeed>;
  readonly io: Io;
  readonly terminal: LocalTerminal;
  readonly clock: Clock;
  /* The setting. */
  readonly detachKey: string;
  /* A line for the person about how to leave; undefined: nothing is said. */
  readonly notice: string | undefined;
  /* Aborts when we must leave without the run's end: HUP, or TERM to an `attach`. */
  readonly leave: AbortSignal;
}

export async function runTerminalSession(options: TerminalSessionOptions): Promise<SessionEnd> {
  const { io, terminal, clock, detachKey } = options;
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, options.leave]);
  const lost = createLostNotice(io, terminal);
  const feed = await options.open(signal, lost.show);
  const tracker = createModeTracker();
  // The run may be gone by now; its end is on the way to us.
  const resize = (size: TerminalSize): Promise<void> => feed.resize(size).catch(() => {});
  const raw = openRawTerminal(io, terminal, tracker);
  try {
    await arrive({ io, terminal, tracker, notice: options.notice }, feed.picture);
    if (feed.isAnswerer()) await resize(terminal.size());
    using _resizing = terminal.onResize((size) => {
      if (feed.isAnswerer()) void resize(size);
    });
    const typing = pumpKeys({ run: feed, keys: io.stdin.read(signal), clock, signal, detachKey });
    const output = pumpLive({ options, feed, tracker, lost });
    const parted = typing.then((end) => (end === 'detached' ? 'detached' : 'terminal-lost'));
    const end = await Promise.race([parted, output]);
    ending.abort();
    await Promise.allSettled([parted, output]);
    return options.leave.aborted ? 'terminal-lost' : end;
  } finally {
    ending.abort();
    await lost.clear();
    raw[Symbol.dispose]();
    await feed.close();
  }
}

interface Painting {
  readonly io: Pick<Io, 'stdout' | 'stderr'>;
  readonly terminal: LocalTerminal;
  readonly tracker: ModeTracker;
  readonly notice: string | undefined;
}

async function arrive(painting: Painting, picture: Picture | undefined): Promise<void> {
  const { io, terminal, tracker, notice } = painting;
  // The modes that the picture switches on are to be switched off again when we leave.
  tracker.push(Buffer.from(picture?.text ?? ''));
  // A full-screen program has no row to spare: there it goes into the history of the terminal.
  const isBefore = picture === undefined || tracker.isAlternateScreen;
  if (isBefore && notice !== undefined) await io.stderr.write(`${notice}\r\n`).catch(() => {});
  if (picture === undefined) return;
  // Scrolls what is there into the history instead of wiping it out.
  await io.stdout.write('\n'.repeat(terminal.size().rows) + '\u001b[H\u001b[2J');
  await io.stdout.write(picture.text);
  if (!isBefore && notice !== undefined) await io.stdout.write(inTopRow(notice, picture));
}

/* Before all others, from where it scrolls away; on a full screen in the place of the oldest line, unless that is being written. */
function inTopRow(notice: string, { cursorRow, isLastRowFree }: Picture): string {
  if (isLastRowFree) return `\u001b7\u001b[H\u001b[0m\u001b[L${notice}\u001b8\u001b[B`;
  return cursorRow === 0 ? '' : `\u001b7\u001b[H\u001b[0m\u001b[2K${notice}\u001b8`;
}

interface LivePump {
  readonly options: TerminalSessionOptions;
  readonly feed: TerminalFeed;
  readonly tracker: ModeTracker;
  readonly lost: LostNotice;
}

async function pumpLive(live: LivePump): Promise<SessionEnd> {
  const { feed, options } = live;
  const filter = createQueryFilter();
  try {
    for await (const event of feed.events) {
      if (event.kind === 'repaint') {
        await repaint(live, event.picture);
        continue;
      }
      if (isDamage(event)) await sayDamaged(live);
      if (event.kind === 'gap' || event.kind === 'damaged') await askToRedraw(live);
      if (event.kind !== 'output') continue;
      live.tracker.push(event.bytes);
      await options.io.stdout.write(feed.isAnswerer() ? event.bytes : filter.push(event.bytes));
    }
    return 'run-ended';
  } catch (error) {
    if (options.leave.aborted || isReaderGone(error)) return 'terminal-lost';
    throw error;
  }
}

/* As on arriving, after taking back what the program had switched on: it may have switched it off meanwhile. */
async function repaint(live: LivePump, picture: Picture | undefined): Promise<void> {
  const { tracker, lost, options } = live;
  const { io, terminal } = options;
  await lost.clear();
  if (picture === undefined) return askToRedraw(live);
  const undo = tracker.undo();
  tracker.push(Buffer.from(undo));
  await io.stdout.write(undo);
  await arrive({ io, terminal, tracker, notice: undefined }, picture);
}

function isDamage({ kind }: OutputEvent): boolean {
  return kind === 'damaged' || kind === 'tail-lost';
}

/* The program may draw over it; whoever wants all of it reads the journal. */
async function sayDamaged({ options: { io } }: LivePump): Promise<void> {
  await io.stderr.write('\r\n[clf: the journal is damaged here, output is missing]\r\n');
}

/* Output was dropped under a slow terminal; a change of size makes programs draw anew. */
async function askToRedraw({ feed, options }: LivePump): Promise<void> {
  if (!feed.isAnswerer()) return;
  const { cols, rows } = options.terminal.size();
  await feed.resize({ cols, rows: Math.max(1, rows - 1) }).catch(() => {});
  await feed.resize({ cols, rows }).catch(() => {});
}
