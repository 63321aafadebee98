/*
 * `session.*`: saying something, and ending what was begun.
 *
 * A start may be sent again after a lost answer. Its key names the thread (find-thread.ts) and the message, so whatever of it was done before
 * is found, and the rest is done now.
 */
import type { Chosen, JsonObject, ThreadRow } from '@clawdfather/agents';
import { isId } from '@clawdfather/kit';
import { api } from '@clawdfather/protocol/api';
import type { RpcParams, Task } from '@clawdfather/protocol/acp';
import { sameThread } from '../agents/caller-threads.ts';
import { notFound } from '../http/api-error.ts';
import { actorOf } from '../http/caller.ts';
import { limitEndpoint } from '../http/limit-endpoint.ts';
import { threadIdOfKey } from '../agents/thread-id-of-key.ts';
import { findThread, keyOf, requireThread } from './find-thread.ts';
import type { Following, RpcCall, RpcHandler } from './rpc-call.ts';
import { readTask } from './show-task.ts';

type StartCall = RpcCall<'session.start'>;
type SayCall = Omit<RpcCall<'session.message'>, 'params'> & {
  readonly params: RpcParams<'session.message'>;
};

export const startSession: RpcHandler<'session.start'> = async (call) => {
  const thread = await threadToStartIn(call);
  return say(call, thread);
};

export const sendMessage: RpcHandler<'session.message'> = async (call) =>
  say(call, await requireThread(call, call.params));

async function threadToStartIn(call: StartCall): Promise<ThreadRow> {
  const { deps, caller, ip, params, mine } = call;
  const { threadId, sessionId, idempotencyKey } = params;
  const isNamed = threadId !== undefined || sessionId !== undefined;
  const known = await findThread(call, params);
  if (known !== undefined) return known;
  const key = keyOf(params);
  if (isNamed && key === undefined) throw notFound();
  const { accountId } = caller;
  const id =
    key !== undefined
      ? threadIdOfKey(accountId, key)
      : idempotencyKey === undefined
        ? undefined
        : // A key of a message and a key of a thread may be the same words.
          threadIdOfKey(accountId, `start\0${idempotencyKey}`);
  const { agent, connectionId, workingDirectory: directory, title } = params;
  const asked = { id, agent, connectionId, directory, title, chosen: chosenOf(call) };
  const begun = id === undefined ? undefined : await mine.records.get(id);
  // Who names a thread of its own goes on in it, however it was begun.
  if (begun !== undefined) return key === undefined ? sameThread(begun, asked) : begun;
  await limitEndpoint(deps, api.threads.create, { caller, ip, id: undefined });
  return mine.create(asked);
}

/* By their categories. Undefined: nothing. What older clients call a mode is none of an agent's. */
function chosenOf({ params: { model, mode }, isOlder }: SayCall): Chosen | undefined {
  const chosen = {
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined || isOlder ? {} : { mode }),
  };
  return Object.keys(chosen).length === 0 ? undefined : chosen;
}

async function say(
  call: SayCall,
  thread: ThreadRow,
): Promise<{ readonly result: Task; readonly follow: Following }> {
  const { deps, caller, ip, params, mine, isOlder } = call;
  const { loadClass, expectedArtifactDirs: artifactDirs, lastSeq } = params;
  const { idempotencyKey: clientMessageId, priority, notBefore } = params;
  const sent = clientMessageId && (await mine.records.turnOfMessage(thread.id, clientMessageId));
  if (!sent) await limitEndpoint(deps, api.threads.prompt, { caller, ip, id: undefined });
  const turnId = await mine.prompt(thread.id, {
    blocks: blocksOf(params),
    loadClass,
    artifactDirs,
    clientMessageId,
    priority,
    notBeforeMs: notBefore === undefined ? undefined : Date.parse(notBefore),
    chosen: chosenOf(call),
  });
  const { accountId } = caller;
  const result = await readTask(deps, mine, { turnId, accountId, isOlder });
  // Who sends it again, and says not how far it is, has seen nothing of it.
  const after = lastSeq ?? (sent ? 0 : thread.lastSeq);
  return { result, follow: { threadId: thread.id, turnId, after } };
}

function blocksOf({ taskPrompt, attachments }: SayCall['params']): readonly JsonObject[] {
  const text = taskPrompt === undefined ? [] : [{ type: 'text', text: taskPrompt }];
  return [...text, ...attachments.map(blockOf)];
}

function blockOf(attachment: SayCall['params']['attachments'][number]): JsonObject {
  // Of the documented shape; what else is in it is the agent's to judge.
  if ('type' in attachment) return attachment as JsonObject;
  const { name, mimeType, content } = attachment;
  if (mimeType.startsWith('image/')) return { type: 'image', mimeType, data: content };
  const uri = `attachment:///${encodeURIComponent(name)}`;
  return { type: 'resource', resource: { uri, mimeType, blob: content } };
}

export const cancelSession: RpcHandler<'session.cancel'> = async (call) => {
  const { mine, params } = call;
  const thread = await requireThread(call, params);
  const rows = await mine.records.load(thread.id);
  const turnId = params.turnId ?? rows?.turn?.id ?? rows?.queue[0]?.id;
  if (turnId === undefined) return { result: { accepted: false, runCancelled: false } };
  const turn = await mine.turn(turnId);
  if (turn.threadId !== thread.id) throw notFound();
  const accepted = await mine.cancel(turnId);
  return { result: { accepted, runCancelled: accepted && turn.status === 'running' } };
};

export const closeSession: RpcHandler<'session.close'> = async (call) => {
  const { deps, caller, ip, traceId, params } = call;
  const thread = await findThread(call, params);
  const named = params.sessionId !== undefined && isId(params.sessionId) ? params.sessionId : null;
  const sessionId = thread === undefined ? named : (thread.sessionId ?? null);
  if (thread === undefined && sessionId === null) throw notFound();
  if (sessionId === null) return { result: { accepted: false, sessionId } };
  const name = { accountId: caller.accountId, id: sessionId };
  const by = { actor: actorOf(caller), ip, traceId };
  const closed = await deps.sessions.close(name, { reason: 'user', by });
  if (closed === undefined) throw notFound();
  return { result: { accepted: true, sessionId } };
};
