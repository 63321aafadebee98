/*
 * The terminals of runs that have one: what is on them, what their programs have asked for, and who answers queries.
 *
 * Answering is the owner's alone (E8): of all processes that can read a run, the one that owns it follows it to its end and
 * answers while no terminal is attached. An adopted run is taken up at its present end: what was asked before, nobody
 * answers any more, since the program may have gone on long ago.
 *
 * Looking is anybody's, and answers nothing.
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
  type ScreenFollower,
  type ScreenLook,
} from '../terminal/follow-screen.ts';
import { openQueryAnswerer, type QueryAnswerer } from '../terminal/query-answerer.ts';

export interface Terminals {
  /* A run that this process has just started. */
  watch(run: ManagedRun): void;
  /* A run that may be ours by adoption; one that is not, or is watched already, is left alone. */
  watchIfOurs(record: RunRecord): void;
  look(record: RunRecord, signal: AbortSignal): Promise<ScreenLook>;
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
/* Drawn before an adopted run is answered for, so that its cursor is about where the program thinks. */
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
    forget,
    close: async () => {
      await Promise.all(watched.values());
      await Promise.all([...followers.values()].map((follower) => follower.close()));
      followers.clear();
    },
  };
}

function isOurs(record: RunRecord, supervisor: Supervisor): boolean {
  return (
    record.mode !== 'child' &&
    record.state !== 'exited' &&
    record.ownerInstanceId === supervisor.instanceId &&
    record.ownerGeneration === supervisor.generation
  );
}

interface Answering {
  readonly isNew: boolean;
  readonly signal: AbortSignal;
}

async function answerFor(run: ManagedRun, { isNew, signal }: Answering): Promise<void> {
  const { cols, rows } = execLimits.terminal;
  const answerer = await openQueryAnswerer({
    size: { cols, rows },
    /* It may have ended, or stopped listening; then nobody waits for an answer. */
    answer: (text) => run.write(text).catch(() => {}),
  });
  try {
    const from = isNew ? outputStart : await catchUp(run, answerer, signal);
    for await (const event of run.output(from, signal)) await answerer.push(event);
    await answerer.settled();
  } finally {
    answerer.close();
  }
}

/* The last part of what there is, drawn and not answered. */
async function catchUp(
  run: ManagedRun,
  answerer: QueryAnswerer,
  signal: AbortSignal,
): Promise<Cursor> {
  const history: OutputEvent[] = [];
  const facts = new Map<OutputEvent['kind'], OutputEvent>();
  let bytes = 0;
  let reached = outputStart;
  for await (const event of run.outputSoFar(undefined, signal)) {
    reached = event.cursor;
    if (event.kind !== 'output') facts.set(event.kind, event);
    else {
      history.push(event);
      bytes += event.bytes.length;
    }
    while (bytes > historyBytesMax && history.length > 1) bytes -= lengthOf(history.shift());
  }
  for (const event of [...facts.values(), ...history])
    await answerer.push(event, { isLive: false });
  return reached;
}

function lengthOf(event: OutputEvent | undefined): number {
  return event?.kind === 'output' ? event.bytes.length : 0;
}
