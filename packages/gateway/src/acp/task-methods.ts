/*
 * `tasks.*`: turns, looked at and ended. An unknown one is a result and not an error, so that who polls can tell it from a gateway that
 * cannot answer.
 */
import type { ThreadRow, TurnRow } from '@clawdfather/agents';
import { accountLabel, threadLabel } from '@clawdfather/supervisor/origins';
import type { RunId } from '@clawdfather/supervisor';
import type { RpcParams, RpcResult, Task } from '@clawdfather/protocol/acp';
import { isId } from '@clawdfather/kit';
import { notFound } from '../http/api-error.ts';
import { findThread, requireThread } from './find-thread.ts';
import type { RpcCall, RpcHandler } from './rpc-call.ts';
import { readTask, showTasks, statusFor } from './show-task.ts';

type Lookup = Pick<RpcCall<'tasks.get'>, 'deps' | 'caller' | 'mine'> & {
  readonly params: Partial<RpcParams<'tasks.get'>>;
};
type Found = TurnRow & { readonly threadId: string };

const unknownTask: RpcResult<'tasks.get'> = {
  ok: false,
  status: 'not_found',
  code: 'ACP_SESSION_NOT_FOUND',
  message: 'there is no such turn here',
};

export const getTask: RpcHandler<'tasks.get'> = async (call) => {
  const { deps, caller, mine, params, isOlder } = call;
  const turn = await findTurn(call);
  if (turn === undefined) return { result: unknownTask };
  const { id: turnId, threadId } = turn;
  const { lastSeq: after, includeArtifacts } = params;
  const { accountId } = caller;
  const result = await readTask(deps, mine, { turnId, accountId, isOlder, includeArtifacts });
  return after === undefined ? { result } : { result, follow: { threadId, turnId, after } };
};

async function findTurn(call: Lookup): Promise<Found | undefined> {
  const { params, mine } = call;
  const { turnId, threadId, sessionId } = params;
  const isNamed = threadId !== undefined || sessionId !== undefined;
  const thread = isNamed ? await findThread(call, params) : await threadOfRun(call);
  if (turnId === undefined) return thread && newestOf(call, thread);
  const turn = isId(turnId) ? await mine.records.turn(turnId) : undefined;
  // A turn of another thread than the one that is named is not the one that is meant.
  return isNamed && turn?.threadId !== thread?.id ? undefined : turn;
}

/* By the label that its run has; the record outlives the process. */
async function threadOfRun({ deps, caller, mine, params }: Lookup): Promise<ThreadRow | undefined> {
  const { runId } = params;
  const labels = runId && deps.runs.supervisor.get(runId as RunId)?.labels;
  if (!labels || labels[accountLabel] !== caller.accountId) return undefined;
  const threadId = labels[threadLabel];
  return threadId === undefined ? undefined : mine.records.get(threadId);
}

/* The one that runs, else the newest; with a run, the newest of that run. */
async function newestOf(
  { mine, params: { runId } }: Lookup,
  thread: ThreadRow,
): Promise<Found | undefined> {
  const turns = await mine.records.turns(thread.id);
  const meant = runId === undefined ? turns : turns.filter((turn) => turn.runId === runId);
  const turn = meant.findLast(({ status }) => status === 'running') ?? meant.at(-1);
  return turn && { ...turn, threadId: thread.id };
}

export const listTasks: RpcHandler<'tasks.list'> = async (call) => {
  const { mine, params } = call;
  const { threadId, sessionId, status, limit } = params;
  const isNamed = threadId !== undefined || sessionId !== undefined;
  const isOpen = status === 'queued' || status === 'running';
  const threads = isNamed
    ? [await requireThread(call, params)]
    : (await mine.records.list({ limit: threadsMax, ...(isOpen ? { status } : {}) })).items;
  const items: Task[] = [];
  for (const thread of threads) {
    items.push(...(await tasksOf(call, thread)));
    if (items.length >= limit) break;
  }
  return { result: { items: items.slice(0, limit) } };
};

/* So many are looked through, the newest ones. */
const threadsMax = 100;

/* Newest first. */
async function tasksOf(
  { deps, caller: { accountId }, mine, params: { status, code }, isOlder }: RpcCall<'tasks.list'>,
  thread: ThreadRow,
): Promise<readonly Task[]> {
  const turns = await mine.records.turns(thread.id);
  const wanted = turns.filter(
    (turn) =>
      (status === undefined || statusFor(turn.status, isOlder) === status) &&
      (code === undefined || turn.result?.code === code),
  );
  const tasks = await showTasks(deps, mine, { thread, turns: wanted, accountId, isOlder });
  return tasks.toReversed();
}

export const cancelTask: RpcHandler<'tasks.cancel'> = async (call) => {
  const { mine, isOlder } = call;
  const turn = await findTurn(call);
  if (turn === undefined) throw notFound();
  const accepted = await mine.cancel(turn.id);
  const { status } = await mine.turn(turn.id);
  return { result: { accepted, status: statusFor(status, isOlder) } };
};
