/*
 * A turn as JSON-RPC shows it: the running handle, and the snapshot that is polled for. Everything is read from rows, so a snapshot is the same
 * at every gateway and after every restart.
 */
import type {
  ArtifactSyncRow,
  Reaching,
  ThreadRow,
  ThreadRows,
  TurnRow,
} from '@clawdfather/agents';
import type { AccountId, Clock } from '@clawdfather/kit';
import type { Task } from '@clawdfather/protocol/acp';
import type { PollFacts, QueuePlace, Threads } from '@clawdfather/threads';
import type { CallerThreads } from '../agents/caller-threads.ts';
import type { TurnArtifacts } from '../artifacts/turn-artifacts.ts';
import { formatTime } from '../http/format-time.ts';

export interface ShownTurn {
  readonly turn: TurnRow;
  readonly thread: ThreadRow;
  /* The rows of the thread, of a turn that has not ended. */
  readonly rows?: ThreadRows | undefined;
  /* Of a turn that waits. */
  readonly place?: QueuePlace | undefined;
  /* Of a turn that has not ended. */
  readonly poll?: PollFacts | undefined;
  /* What the agent has said, of a turn that has ended; absent in lists. */
  readonly output?: string | undefined;
  /* Absent: only how the look at them went. */
  readonly artifacts?: TurnArtifacts | undefined;
  readonly sync?: ArtifactSyncRow | undefined;
  readonly isOlder: boolean;
}

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
    ...artifactsOf(shown),
    poll: shown.poll === undefined ? null : { ...shown.poll },
  };
}

/* Older clients do not know `interrupted` as an end, and would poll for ever. */
export function statusFor(status: TurnRow['status'], isOlder: boolean): TurnRow['status'] {
  return isOlder && status === 'interrupted' ? 'failed' : status;
}

function resultOf({ turn, output, isOlder }: ShownTurn): Task['result'] {
  const { result, status } = turn;
  if (result === undefined) return null;
  const { code, message, cause: reason = null } = result;
  const shown = statusFor(status, isOlder);
  return { output: output ?? null, code, error: errorOf(status, message), reason, status: shown };
}

export function errorOf(status: TurnRow['status'], message: string | undefined): string | null {
  return status === 'completed' ? null : (message ?? null);
}

function queueOf({ place }: ShownTurn): Task['queue'] {
  return place === undefined ? null : showPlace(place);
}

export function showPlace({ position, ahead, reason }: QueuePlace) {
  const { code, message } = reason;
  return { position, ahead, reason: code, message };
}

function artifactsOf({ artifacts, sync }: ShownTurn): Pick<Task, 'artifacts' | 'artifactSync'> {
  const { status, missing } = artifacts?.artifactSync ?? {
    status: sync?.status ?? 'no-artifacts',
    missing: sync?.missing ?? [],
  };
  return {
    artifacts: (artifacts?.artifacts ?? []).map((one) => ({ ...one })),
    artifactSync: { status, missing: missing.map((one) => ({ ...one })) },
  };
}

type Progress = Omit<Task['progress'], 'elapsedMs'>;

function progressOf({ turn, rows }: ShownTurn): Progress {
  if (turn.endedAtMs !== undefined) return { stage: 'ended', message: turn.status };
  if (turn.status === 'queued') return { stage: 'queued', message: 'waits for its turn' };
  if (turn.cancelAskedAtMs !== undefined) {
    return { stage: 'cancelling', message: 'the agent was asked to stop' };
  }
  if (turn.reaching !== undefined) return { stage: 'reaching', message: triedFor(turn.reaching) };
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

/* As the events of the thread say it, which tell each try. */
function triedFor({ message, tries, sinceMs }: Reaching): string {
  const times = tries === 1 ? 'tried once' : `tried ${tries} times`;
  return `${message.replace(/\.$/, '')}; ${times} since ${formatTime(sinceMs)}`;
}

function elapsedMs(clock: Pick<Clock, 'wallMs'>, turn: TurnRow): number {
  const sinceMs = turn.startedAtMs ?? turn.queuedAtMs;
  return Math.max(0, (turn.endedAtMs ?? clock.wallMs()) - sinceMs);
}

export interface TaskDeps {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly agentThreads: { readonly threads: Pick<Threads, 'queue'> };
}

export interface TaskAsked {
  readonly turnId: string;
  readonly accountId: AccountId;
  readonly isOlder: boolean;
  readonly includeArtifacts?: boolean | undefined;
}

/* With what a single snapshot has beside one in a list. */
export async function readTask(
  { clock, agentThreads }: TaskDeps,
  mine: CallerThreads,
  { turnId, accountId, isOlder, includeArtifacts = true }: TaskAsked,
): Promise<Task> {
  const turn = await mine.turn(turnId);
  const thread = await mine.thread(turn.threadId);
  if (turn.endedAtMs === undefined) {
    const rows = await mine.records.load(turn.threadId);
    const isWaiting = turn.status === 'queued';
    const { queue } = agentThreads.threads;
    const place = isWaiting ? await queue.ofTurn(accountId, turnId) : undefined;
    const poll = queue.poll(turn, thread.agent);
    return showTask(clock, { turn, thread, rows, place, poll, isOlder });
  }
  const output = await outputOf(mine, turn);
  const left = includeArtifacts
    ? { artifacts: await mine.artifactsOf(turnId) }
    : { sync: await mine.syncOf(turnId) };
  return showTask(clock, { turn, thread, isOlder, output, ...left });
}

/* Of one thread, in their order. */
export async function showTasks(
  { clock, agentThreads }: TaskDeps,
  mine: CallerThreads,
  {
    thread,
    turns,
    ...asked
  }: Pick<TaskAsked, 'accountId' | 'isOlder'> & {
    readonly thread: ThreadRow;
    readonly turns: readonly TurnRow[];
  },
): Promise<readonly Task[]> {
  const { accountId, isOlder } = asked;
  const isOpen = turns.some(({ endedAtMs }) => endedAtMs === undefined);
  const rows = isOpen ? await mine.records.load(thread.id) : undefined;
  const { queue } = agentThreads.threads;
  const places = await queue.ofTurns(accountId, turns);
  const syncs = await mine.syncsOf(thread.id);
  return turns.map((turn) => {
    const [place, sync] = [places.get(turn.id), syncs.get(turn.id)];
    const poll = queue.poll(turn, thread.agent);
    return showTask(clock, { turn, thread, rows, place, poll, sync, isOlder });
  });
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
