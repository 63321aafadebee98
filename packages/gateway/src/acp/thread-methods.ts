/*
 * `threads.*`: conversations, as this wire shows them.
 */
import type { ThreadRow, ThreadRows } from '@clawdfather/agents';
import type { RpcThread } from '@clawdfather/protocol/acp';
import type { CallerThreads } from '../agents/caller-threads.ts';
import { formatTime } from '../http/format-time.ts';
import { requireThread } from './find-thread.ts';
import type { RpcHandler } from './rpc-call.ts';
import { showTasks } from './show-task.ts';

export const listThreads: RpcHandler<'threads.list'> = async ({ mine, params }) => {
  const { status, ...page } = params;
  const { items, total } = await mine.records.list({
    ...page,
    ...(status === undefined ? {} : { status }),
  });
  const shown = await Promise.all(
    items.map(async (thread) => showThread(thread, await openRows(mine, thread))),
  );
  return { result: { items: shown, total } };
};

export const getThread: RpcHandler<'threads.get'> = async (call) => {
  const { deps, caller, mine, params, isOlder } = call;
  const thread = await requireThread(call, params);
  const rows = await openRows(mine, thread);
  const turns = await mine.records.turns(thread.id);
  const { accountId } = caller;
  const tasks = await showTasks(deps, mine, { thread, turns, accountId, isOlder });
  return { result: { thread: showThread(thread, rows), tasks: [...tasks] } };
};

export const archiveThread: RpcHandler<'threads.archive'> = async (call) => {
  const { id } = await requireThread(call, call.params);
  const thread = await call.mine.archive(id);
  return { result: { thread: showThread(thread, undefined) } };
};

/* Undefined: it has no turn that runs or waits. */
async function openRows(
  { records }: CallerThreads,
  { id, status }: ThreadRow,
): Promise<ThreadRows | undefined> {
  return status === 'queued' || status === 'running' ? records.load(id) : undefined;
}

function showThread(thread: ThreadRow, rows: ThreadRows | undefined): RpcThread {
  return {
    threadId: thread.id,
    title: thread.title,
    agent: thread.agent,
    connectionId: thread.connectionId ?? null,
    workingDirectory: thread.cwd,
    sessionId: thread.sessionId ?? null,
    lifecycleStatus: thread.status,
    lastSeq: thread.lastSeq,
    lastTurnId: thread.lastTurnId ?? null,
    pendingTurnId: rows?.turn?.id ?? rows?.queue[0]?.id ?? null,
    lastResultCode: thread.lastResultCode ?? null,
    createdAt: formatTime(thread.createdAtMs),
    updatedAt: formatTime(thread.updatedAtMs),
  };
}
