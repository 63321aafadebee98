/*
 * The local terminal lent to a run on a PTY: `attach`, and `run --pty` in front
 * of a person.
 *
 * Stages:
 *   1. the terminal is announced to the shim, which says whether it answers
 *      queries or only watches (E8);
 *   2. unless the run has just begun, the screen as it was at that moment is
 *      painted from the journal (catch-up.ts), never replayed;
 *   3. live: output to the terminal (a watcher's without queries), keys and sizes
 *      to the run, until the run ends, the person detaches, or we must leave;
 *   4. the terminal is given back, always.
 */
import type { Clock } from '@clawdfather/kit';
import type { Cursor, ManagedRun, OutputEvent } from '@clawdfather/supervisor';
import {
  createModeTracker,
  createQueryFilter,
  type ModeTracker,
} from '@clawdfather/tools/terminal';
import { type Io, isReaderGone, type LocalTerminal, type TerminalSize } from '../io/io.ts';
import { pumpKeys, type SessionEnd } from './key-pump.ts';
import { openRawTerminal } from './raw-terminal.ts';

export interface TerminalSessionOptions {
  readonly run: ManagedRun;
  readonly io: Io;
  readonly terminal: LocalTerminal;
  readonly clock: Clock;
  /* The setting. */
  readonly detachKey: string;
  /* False when the run has just been started by us: there is nothing to catch up with. */
  readonly isCatchingUp: boolean;
  /* Aborts when we must leave without the run's end: HUP, or TERM to an `attach`. */
  readonly leave: AbortSignal;
}

export async function runTerminalSession(options: TerminalSessionOptions): Promise<SessionEnd> {
  const { run, io, terminal } = options;
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, options.leave]);
  // A run that is over already has nobody to announce to; what it said is shown all the same.
  const role = await run.openTerminal().catch(() => undefined);
  const tracker = createModeTracker();
  // The run may be gone by now; its end is on the way to us.
  const resize = (size: TerminalSize): Promise<void> => run.resize(size).catch(() => {});
  const raw = openRawTerminal(io, terminal, tracker);
  try {
    // A run without a shim has nobody who asks.
    let place = role?.place ?? Number.POSITIVE_INFINITY;
    const isAnswerer = (): boolean => place === 1;
    const painting: Painting = { tracker, isAnswerer: isAnswerer(), until: role?.cursor, signal };
    const from = options.isCatchingUp ? await paintNow(options, painting) : undefined;
    if (isAnswerer()) await resize(terminal.size());
    using _resizing = terminal.onResize((size) => {
      if (isAnswerer()) void resize(size);
    });
    const keys = pumpKeys({ run, io, clock: options.clock, signal, detachKey: options.detachKey });
    const output = pumpLive({
      options,
      events: run.output(from, signal),
      tracker,
      isAnswerer,
      onTerminalLeft: (left) => {
        // Those behind it move up; the shim counts the same way.
        if (left < place) place -= 1;
      },
    });
    const end = await Promise.race([keys, output]);
    ending.abort();
    await Promise.allSettled([keys, output]);
    return options.leave.aborted ? 'terminal-lost' : end;
  } finally {
    ending.abort();
    raw[Symbol.dispose]();
    // Nothing is lost if the shim is gone: then no terminal is attached either.
    await role?.close().catch(() => {});
  }
}

interface Painting {
  readonly tracker: ModeTracker;
  readonly isAnswerer: boolean;
  readonly until: Cursor | undefined;
  readonly signal: AbortSignal;
}

/* Resolves to where the live output begins. */
async function paintNow(
  { run, io, terminal }: TerminalSessionOptions,
  { tracker, isAnswerer, until, signal }: Painting,
): Promise<Cursor | undefined> {
  // The terminal model is heavy; a fresh `run --pty` never needs it.
  const { catchUp } = await import('./catch-up.ts');
  const { picture, reached } = await catchUp({
    events: run.outputSoFar(undefined, signal),
    until,
    tracker,
    size: isAnswerer ? terminal.size() : undefined,
  });
  // Scrolls what is there into the history instead of wiping it out.
  await io.stdout.write('\n'.repeat(terminal.size().rows) + '\u001b[H\u001b[2J');
  await io.stdout.write(picture);
  return reached;
}

interface LivePump {
  readonly options: TerminalSessionOptions;
  readonly events: AsyncIterable<OutputEvent>;
  readonly tracker: ModeTracker;
  readonly isAnswerer: () => boolean;
  readonly onTerminalLeft: (place: number) => void;
}

async function pumpLive(live: LivePump): Promise<SessionEnd> {
  const { io } = live.options;
  const filter = createQueryFilter();
  try {
    for await (const event of live.events) {
      if (event.kind === 'attached' && event.left !== undefined) live.onTerminalLeft(event.left);
      if (event.kind === 'damaged' || event.kind === 'tail-lost') await sayDamaged(live);
      if (event.kind === 'gap' || event.kind === 'damaged') await askToRedraw(live);
      if (event.kind !== 'output') continue;
      live.tracker.push(event.bytes);
      await io.stdout.write(live.isAnswerer() ? event.bytes : filter.push(event.bytes));
    }
    return 'run-ended';
  } catch (error) {
    if (live.options.leave.aborted || isReaderGone(error)) return 'terminal-lost';
    throw error;
  }
}

/* The program may draw over it; whoever wants all of it reads the journal. */
async function sayDamaged({ options: { io } }: LivePump): Promise<void> {
  await io.stderr.write('\r\n[clf: the journal is damaged here, output is missing]\r\n');
}

/* Output was dropped under a slow terminal; a change of size makes programs draw anew. */
async function askToRedraw(live: LivePump): Promise<void> {
  if (!live.isAnswerer()) return;
  const { run, terminal } = live.options;
  const { cols, rows } = terminal.size();
  await run.resize({ cols, rows: Math.max(1, rows - 1) }).catch(() => {});
  await run.resize({ cols, rows }).catch(() => {});
}
