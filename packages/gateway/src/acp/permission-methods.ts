/*
 * `permissions.*`: what agents ask, and the answer to it. Who may answer is decided where every answer is (agents/caller-threads.ts).
 */
import type { AskAnswer, AskRow } from '@clawdfather/agents';
import { optionsOf } from '@clawdfather/agents/asks';
import { hasCode } from '@clawdfather/kit';
import type { RpcParams, RpcResult } from '@clawdfather/protocol/acp';
import { showAsk } from '../agents/show-ask.ts';
import { formatTime } from '../http/format-time.ts';
import { findThread, requireThread } from './find-thread.ts';
import type { RpcHandler } from './rpc-call.ts';
import { RpcRefusal } from './rpc-error.ts';

type Shown = RpcResult<'permissions.list'>['items'][number];
type Ask = AskRow & { readonly threadId: string };

export const listPermissions: RpcHandler<'permissions.list'> = async (call) => {
  const { params, mine } = call;
  const isNamed = params.threadId !== undefined || params.sessionId !== undefined;
  const thread = isNamed ? await requireThread(call, params) : undefined;
  const asks = await mine.records.openAsks();
  const wanted = asks.filter(({ threadId }) => thread === undefined || threadId === thread.id);
  const ids = [...new Set(wanted.map(({ threadId }) => threadId))];
  const threads = new Map(
    await Promise.all(ids.map(async (id) => [id, await mine.records.get(id)] as const)),
  );
  const items = wanted.map((ask) => show(ask, threads.get(ask.threadId)?.sessionId));
  return { result: { items } };
};

function show(ask: Ask, sessionId: string | undefined): Shown {
  return {
    requestId: ask.id,
    sessionId: sessionId ?? null,
    threadId: ask.threadId,
    turnId: ask.turnId ?? null,
    class: ask.class,
    title: showAsk(ask, '').title,
    toolCall: ask.params['toolCall'] ?? ask.params,
    options: optionsOf(ask).map(({ optionId, name, kind }) => ({ optionId, name, kind })),
    createdAt: formatTime(ask.askedAtMs),
  };
}

export const respondToPermission: RpcHandler<'permissions.respond'> = async (call) => {
  const { params, mine } = call;
  const { requestId, threadId, sessionId } = params;
  const ask = await mine.records.ask(requestId);
  if (ask === undefined) throw unknownRequest();
  if (threadId !== undefined || sessionId !== undefined) {
    const thread = await findThread(call, params);
    if (thread?.id !== ask.threadId) throw otherSession();
  }
  try {
    await mine.answer(requestId, answerOf(params));
  } catch (error) {
    throw wordOf(error) ?? error;
  }
  const { state = 'answered' } = (await mine.records.ask(requestId)) ?? {};
  return { result: { ok: true, requestId, state } };
};

function answerOf({
  optionId,
  content,
  decision = 'cancel',
}: RpcParams<'permissions.respond'>): AskAnswer {
  if (optionId !== undefined) return { kind: 'option', optionId };
  // It came as JSON.
  if (content !== undefined) return { kind: 'accept', content: content as never };
  return { kind: decision };
}

function wordOf(error: unknown): RpcRefusal | undefined {
  if (hasCode(error, 'ask-not-found')) return unknownRequest();
  if (hasCode(error, 'ask-decided')) {
    return new RpcRefusal('already_decided', 'PERMISSION_ALREADY_DECIDED', error.message);
  }
  if (hasCode(error, 'option-not-offered')) {
    return new RpcRefusal('option_not_offered', 'PERMISSION_OPTION_NOT_OFFERED', error.message);
  }
  return undefined;
}

function unknownRequest(): RpcRefusal {
  const message = 'nothing that an agent asks has this id';
  return new RpcRefusal('not_found', 'PERMISSION_REQUEST_NOT_FOUND', message);
}

function otherSession(): RpcRefusal {
  const message = 'the request is not of this session';
  return new RpcRefusal('not_found', 'PERMISSION_SESSION_MISMATCH', message);
}
