/*
 * The thread that a call means. Clients name it by its id, by the session that its agent runs in, or by a key that they have made
 * themselves. A key stands for the id that is made from it and the account, so nothing has to be stored, and a client that has lost
 * everything but its key finds its thread again.
 */
import type { ThreadRow } from '@clawdfather/agents';
import { isId } from '@clawdfather/kit';
import { notFound } from '../http/api-error.ts';
import { threadIdOfKey } from '../agents/thread-id-of-key.ts';
import type { RpcCall } from './rpc-call.ts';

export interface ThreadRef {
  readonly threadId?: string | undefined;
  readonly sessionId?: string | undefined;
}

type Asking = Pick<RpcCall<'threads.get'>, 'deps' | 'caller' | 'mine'>;

/* The key by which a client may make a thread; undefined: it names none, or one that has to exist. */
export function keyOf({ threadId, sessionId }: ThreadRef): string | undefined {
  const named = threadId ?? sessionId;
  return named === undefined || isId(named) ? undefined : named;
}

/* Undefined: there is none, or the call names none. */
export async function findThread(
  { deps, caller, mine }: Asking,
  ref: ThreadRef,
): Promise<ThreadRow | undefined> {
  const key = keyOf(ref);
  if (key !== undefined) return mine.records.get(threadIdOfKey(caller.accountId, key));
  if (ref.threadId !== undefined) return mine.records.get(ref.threadId);
  if (ref.sessionId === undefined) return undefined;
  const session = await deps.store.forAccount(caller.accountId).sessions.get(ref.sessionId);
  if (session === undefined) return undefined;
  if (session.endedAtMs === undefined) deps.sessions.seen(caller.accountId, session.id);
  return session.agentSessionId === undefined
    ? undefined
    : mine.records.get(session.agentSessionId);
}

export async function requireThread(call: Asking, ref: ThreadRef): Promise<ThreadRow> {
  const thread = await findThread(call, ref);
  if (thread === undefined) throw notFound();
  return thread;
}
