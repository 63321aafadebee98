/*
 * The terminals of runs that have one: what is on them, what their programs have asked for, and who answers queries.
 *
 * Answering is the owner's alone (E8): of all processes that can read a run, the one that owns it follows it to its end and
 * answers while no terminal is attached. An adopted run is followed from its present end: older
 * queries are not answered any more, since the program may have gone on long ago.
 *
 * Every process may look at a screen; looking answers nothing.
 */
import type { Clock, Log } from '@clawdfather/kit';
import { execLimits } from '@clawdfather/protocol';
import {
  type Cursor,
  type ManagedRun,
  type OutputEvent,
  outputStart,
  type RunRecord,
  type Supervisor,
} from '@clawdfather/supervisor';
import {
  openScreenFollower,
  type PaintedScreen,
  type ScreenFollower,
  type ScreenLook,
} from '../terminal/follow-screen.ts';
import { openQueryAnswerer, type QueryAnswerer } from '../terminal/query-answerer.ts';
import { isOwnedBy } from './take-over.ts';

export interface Terminals {
  /* A run that this process has just started. */
  watch(run: ManagedRun): void;
  /* A run that may be ours by adoption; one that is not, or is watched already, is left alone. */
  watchIfOurs(record: RunRecord): void;
  look(record: RunRecord, signal: AbortSignal): Promise<ScreenLook>;
  /* The same, with what paints the screen. */
  paint(record: RunRecord, signal: AbortSignal): Promise<PaintedScreen>;
  forget(runId: string): void;
  close(): Promise<void>;
}

export interface TerminalsDeps {
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/* Screens that are kept drawn between looks; an agent drives a few programs at a time. */
const followersMax = 8;
/* Of what was said before the first question, or before a run was adopted. */
const historyBytesMax = 256 * 1024;

export function createTerminals(deps: TerminalsDeps): Terminals {
  const { supervisor, log, signal } = deps;
  const watched = new Map<string, Promise<void>>();
  const followers = new Map<string, ScreenFollower>();

  const begin = (run: ManagedRun, isNew: boolean): void => {
    if (watched.has(run.runId) || signal.aborted) return;
    const answering = answerFor(run, { isNew, signal })
      .catch((error: unknown) => {
        /* Closed, or taken over by another owner, who answers from now on. */
        if (!signal.aborted) log.warn('terminal.unanswered', { runId: run.runId, error });
      })
      .finally(() => watched.delete(run.runId));
    watched.set(run.runId, answering);
  };
  const forget = (runId: string): void => {
    const follower = followers.get(runId);
    followers.delete(runId);
    void follower?.close();
  };
  const followerOf = async (record: RunRecord): Promise<ScreenFollower> => {
    const { runId } = record;
    const known = followers.get(runId);
    const follower = known ?? openScreenFollower(await supervisor.attach(runId));
    followers.delete(runId);
    followers.set(runId, follower);
    for (const [oldest] of followers) if (followers.size > followersMax) forget(oldest);
    return follower;
  };

  return {
    watch: (run) => begin(run, true),
    watchIfOurs: (record) => {
      if (!isOurs(record, supervisor) || watched.has(record.runId)) return;
      supervisor.attach(record.runId).then(
        (run) => begin(run, false),
        (error: unknown) => log.warn('terminal.unwatched', { runId: record.runId, error }),
      );
    },
    look: async (record, lookSignal) => (await followerOf(record)).look(lookSignal),
    paint: async (record, paintSignal) => (await followerOf(record)).paint(paintSignal),
    forget,
    close: async () => {
      await Promise.all(watched.values());
      await Promise.all([...followers.values()].map((follower) => follower.close()));
      followers.clear();
    },
  };
}

function isOurs(record: RunRecord, supervisor: Supervisor): boolean {
  return record.mode !== 'child' && record.state !== 'exited' && isOwnedBy(record, supervisor);
}

interface Answering {
  readonly isNew: boolean;
  readonly signal: AbortSignal;
}

async function answerFor(run: ManagedRun, { isNew, signal }: Answering): Promise<void> {
  const { events, from } = isNew
    ? { events: [], from: outputStart }
    : await recentOutput(run, signal);
  const unanswered = createQuietStart(events);
  let answerer: QueryAnswerer | undefined;
  try {
    for await (const event of run.output(from, signal)) {
      if (answerer === undefined && !mayAsk(event)) unanswered.add(event);
      else {
        answerer ??= await openFor(run, unanswered.take());
        await answerer.push(event);
      }
    }
    await answerer?.settled();
  } finally {
    answerer?.close();
  }
}

/* A model costs more than most commands, and most commands never ask anything. */
function mayAsk(event: OutputEvent): boolean {
  return event.kind === 'output' && (event.bytes.includes(ESC) || event.bytes.includes(beforeC1));
}

const ESC = 0x1b;
/* The first byte of an 8-bit control in UTF-8; of some letters too, which does no harm. */
const beforeC1 = 0xc2;

async function openFor(run: ManagedRun, history: readonly OutputEvent[]): Promise<QueryAnswerer> {
  const { cols, rows } = execLimits.terminal;
  const answerer = await openQueryAnswerer({
    size: { cols, rows },
    /* The program may have ended or closed its input; then it does not wait for an answer. */
    answer: (text) => run.write(text).catch(() => {}),
  });
  for (const event of history) await answerer.push(event, { isLive: false });
  return answerer;
}

interface QuietStart {
  add(event: OutputEvent): void;
  /* The newest sizes and attachments, then the last part of the output. */
  take(): readonly OutputEvent[];
}

/* What is drawn before the first question, so that the answer about the cursor is about right. Bounded. */
function createQuietStart(events: readonly OutputEvent[]): QuietStart {
  const facts = new Map<OutputEvent['kind'], OutputEvent>();
  const history: OutputEvent[] = [];
  let bytes = 0;
  const add = (event: OutputEvent): void => {
    if (event.kind !== 'output') {
      facts.set(event.kind, event);
      return;
    }
    /* A copy: what is kept must not hold the reader's whole chunk. */
    history.push({ ...event, bytes: Uint8Array.from(event.bytes) });
    bytes += event.bytes.length;
    while (bytes > historyBytesMax && history.length > 1) bytes -= lengthOf(history.shift());
  };
  for (const event of events) add(event);
  return { add, take: () => [...facts.values(), ...history] };
}

async function recentOutput(
  run: ManagedRun,
  signal: AbortSignal,
): Promise<{ readonly events: readonly OutputEvent[]; readonly from: Cursor }> {
  const recent = createQuietStart([]);
  let from = outputStart;
  for await (const event of run.outputSoFar(undefined, signal)) {
    from = event.cursor;
    recent.add(event);
  }
  return { events: recent.take(), from };
}

function lengthOf(event: OutputEvent | undefined): number {
  return event?.kind === 'output' ? event.bytes.length : 0;
}
