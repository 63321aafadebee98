/*
 * A turn as JSON-RPC shows it: the running handle, and the snapshot that is polled for. Everything is read from rows, so a snapshot is the same
 * at every gateway and after every restart.
 */
import { deadlineMs, type ThreadRow, type ThreadRows, type TurnRow } from '@clawdfather/agents';
import type { Clock } from '@clawdfather/kit';
import type { Task } from '@clawdfather/protocol/acp';
import type { CallerThreads } from '../agents/caller-threads.ts';
import { formatTime } from '../http/format-time.ts';

export interface ShownTurn {
  readonly turn: TurnRow;
  readonly thread: ThreadRow;
  /* The rows of the thread, of a turn that has not ended. */
  readonly rows?: ThreadRows | undefined;
  /* What the agent has said, of a turn that has ended; absent in lists. */
  readonly output?: string | undefined;
  readonly isOlder: boolean;
}

/* Short enough to see an end soon, long enough for many clients. */
export const pollIntervalMs = 2_000;
/* What is decided at the deadline needs a while to be written, and to be asked for. */
export const afterDeadlineMs = 5 * 60_000;
/* The longest that a turn waits to be started. */
const queuedMsMax = 10 * 60_000;

export function showTask(clock: Pick<Clock, 'wallMs'>, shown: ShownTurn): Task {
  const { turn, thread } = shown;
  const status = statusFor(turn.status, shown.isOlder);
  return {
    ok: true,
    turnId: turn.id,
    runId: turn.runId ?? null,
    sessionId: thread.sessionId ?? null,
    threadId: thread.id,
    status,
    lastSeq: thread.lastSeq,
    queue: queueOf(shown),
    queuedAt: formatTime(turn.queuedAtMs),
    startedAt: formatTime(turn.startedAtMs),
    deadlineAt: formatTime(turn.deadlineAtMs),
    endedAt: formatTime(turn.endedAtMs),
    loadClass: turn.loadClass,
    progress: { ...progressOf(shown), elapsedMs: elapsedMs(clock, turn) },
    result: resultOf(shown),
    artifacts: [],
    artifactSync: { status: 'no-artifacts', missing: [] },
    poll: pollOf(clock, turn),
  };
}

/* Older clients do not know `interrupted` as an end, and would poll for ever. */
export function statusFor(status: TurnRow['status'], isOlder: boolean): TurnRow['status'] {
  return isOlder && status === 'interrupted' ? 'failed' : status;
}

function resultOf({ turn, output, isOlder }: ShownTurn): Task['result'] {
  const { result, status } = turn;
  if (result === undefined) return null;
  const { code, message } = result;
  const shown = statusFor(status, isOlder);
  return { output: output ?? null, code, error: errorOf(status, message), status: shown };
}

export function errorOf(status: TurnRow['status'], message: string | undefined): string | null {
  return status === 'completed' ? null : (message ?? null);
}

function queueOf({ turn, rows }: ShownTurn): Task['queue'] {
  if (turn.status !== 'queued') return null;
  const waiting = rows?.queue.findIndex(({ id }) => id === turn.id) ?? 0;
  const ahead = Math.max(0, waiting) + (rows?.turn === undefined ? 0 : 1);
  const reason = ahead > 0 ? 'thread_busy' : 'lane_busy';
  return { position: ahead + 1, ahead, reason };
}

type Progress = Omit<Task['progress'], 'elapsedMs'>;

function progressOf({ turn, rows }: ShownTurn): Progress {
  if (turn.endedAtMs !== undefined) return { stage: 'ended', message: turn.status };
  if (turn.status === 'queued') return { stage: 'queued', message: 'waits for its turn' };
  if (turn.cancelAskedAtMs !== undefined) {
    return { stage: 'cancelling', message: 'the agent was asked to stop' };
  }
  if (turn.promptCall === undefined && rows?.run?.phase !== 'once') {
    return { stage: 'starting', message: 'the agent is being started' };
  }
  const isAsked = [...(rows?.asks.values() ?? [])].some(
    ({ turnId, state }) => turnId === turn.id && state === 'open',
  );
  return isAsked
    ? { stage: 'waiting', message: 'the agent waits for an answer' }
    : { stage: 'working', message: 'the agent works' };
}

function elapsedMs(clock: Pick<Clock, 'wallMs'>, turn: TurnRow): number {
  const sinceMs = turn.startedAtMs ?? turn.queuedAtMs;
  return Math.max(0, (turn.endedAtMs ?? clock.wallMs()) - sinceMs);
}

/* A deadline is known when the prompt is sent. Until then it is told as it will be at the latest. */
function pollOf(clock: Pick<Clock, 'wallMs'>, turn: TurnRow): Task['poll'] {
  if (turn.endedAtMs !== undefined) return null;
  const { deadlineAtMs = clock.wallMs() + queuedMsMax + deadlineMs[turn.loadClass] } = turn;
  return { intervalMs: pollIntervalMs, untilMs: deadlineAtMs + afterDeadlineMs };
}

/* With what a single snapshot has beside one in a list. */
export async function readTask(
  { clock }: { readonly clock: Pick<Clock, 'wallMs'> },
  mine: CallerThreads,
  asked: { readonly turnId: string; readonly isOlder: boolean },
): Promise<Task> {
  const turn = await mine.turn(asked.turnId);
  const thread = await mine.thread(turn.threadId);
  const { isOlder } = asked;
  if (turn.endedAtMs === undefined) {
    const rows = await mine.records.load(turn.threadId);
    return showTask(clock, { turn, thread, rows, isOlder });
  }
  return showTask(clock, { turn, thread, isOlder, output: await outputOf(mine, turn) });
}

/* Of a whole answer; beyond it the events of the thread have the rest. */
const outputCharactersMax = 1_000_000;
const pageDeltas = 100;

async function outputOf(
  { records }: CallerThreads,
  turn: { readonly id: string; readonly threadId: string },
): Promise<string> {
  let output = '';
  for (let after = 0; output.length < outputCharactersMax; ) {
    const page = await records.deltas(turn, { after, limit: pageDeltas });
    for (const { seq, payload } of page) {
      after = seq;
      if (payload['role'] === 'agent' && typeof payload['text'] === 'string') {
        output += payload['text'];
      }
    }
    if (page.length < pageDeltas) break;
  }
  return output.slice(0, outputCharactersMax);
}
