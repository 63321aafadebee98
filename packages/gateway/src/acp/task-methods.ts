/*
 * `tasks.*`: turns, looked at and ended. An unknown one is a result and not an error, so that who polls can tell it from a gateway that
 * cannot answer.
 */
import type { ThreadRow, TurnRow } from '@clawdfather/agents';
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
type Status = TurnRow['status'];

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
  const { turnId, runId, threadId, sessionId } = params;
  const isNamed = threadId !== undefined || sessionId !== undefined;
  const thread = isNamed ? await findThread(call, params) : undefined;
  if (turnId === undefined && runId === undefined) return thread && newestOf(call, thread);
  const turn = await (turnId === undefined
    ? mine.records.turnOfRun(runId as RunId)
    : isId(turnId)
      ? mine.records.turn(turnId)
      : undefined);
  // A turn of another thread than the one that is named is not the one that is meant.
  return isNamed && turn?.threadId !== thread?.id ? undefined : turn;
}

/* The one that runs, else the newest. */
async function newestOf({ mine }: Lookup, thread: ThreadRow): Promise<Found | undefined> {
  const turns = await mine.records.turns(thread.id);
  const turn = turns.findLast(({ status }) => status === 'running') ?? turns.at(-1);
  return turn && { ...turn, threadId: thread.id };
}

export const listTasks: RpcHandler<'tasks.list'> = async (call) => {
  const { mine, params, isOlder } = call;
  const { threadId, sessionId, status, code, limit } = params;
  const isNamed = threadId !== undefined || sessionId !== undefined;
  const thread = isNamed ? await requireThread(call, params) : undefined;
  // To older clients nothing has this status.
  if (isOlder && status === 'interrupted') return { result: { items: [] } };
  const statuses = status === undefined ? undefined : statusesOf(status, isOlder);
  const turns = await mine.records.newestTurns({ threadId: thread?.id, statuses, code, limit });
  return { result: { items: await tasksOf(call, turns) } };
};

/* Those that are told as this one. */
function statusesOf(
  status: Status,
  isOlder: boolean,
): readonly [Status] | readonly [Status, Status] {
  return isOlder && status === 'failed' ? ['failed', 'interrupted'] : [status];
}

/* In the order of the turns; what belongs to a thread is read once for all of its turns. */
async function tasksOf(
  { deps, caller: { accountId }, mine, isOlder }: RpcCall<'tasks.list'>,
  turns: readonly Found[],
): Promise<Task[]> {
  const tasks = new Map<string, Task>();
  for (const [threadId, ofThread] of Map.groupBy(turns, (turn) => turn.threadId)) {
    const thread = await mine.thread(threadId);
    const shown = await showTasks(deps, mine, { thread, turns: ofThread, accountId, isOlder });
    for (const task of shown) tasks.set(task.turnId, task);
  }
  return turns.flatMap(({ id }) => tasks.get(id) ?? []);
}

export const cancelTask: RpcHandler<'tasks.cancel'> = async (call) => {
  const { mine, isOlder } = call;
  const turn = await findTurn(call);
  if (turn === undefined) throw notFound();
  const accepted = await mine.cancel(turn.id);
  const { status } = await mine.turn(turn.id);
  return { result: { accepted, status: statusFor(status, isOlder) } };
};
