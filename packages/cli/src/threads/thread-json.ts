/*
 * Threads, turns, events and asks as JSON, in the shapes that docs/cli-json.md promises to keep.
 */
import type { Json } from '../render/run-json.ts';
import type { Conversation } from './conversation.ts';
import type { Ask, Thread, ThreadEvent, Turn, TurnEnd } from './thread-types.ts';

export function threadJson(thread: Thread): { readonly [name: string]: Json } {
  return {
    id: thread.id,
    title: thread.title,
    agent: thread.agent,
    status: thread.status,
    connectionId: thread.connection_id,
    directory: thread.directory,
    sessionId: thread.session_id,
    lastSeq: thread.last_seq,
    lastTurnId: thread.last_turn_id,
    lastResult: thread.last_result_code,
    chosen: thread.chosen ?? {},
    currentChoices: (thread.current_choices ?? []).map(
      ({ id, name, category, value, value_name: valueName }) => ({
        id,
        name,
        category,
        value,
        valueName,
      }),
    ),
    createdAt: thread.created_at,
    updatedAt: thread.updated_at,
  };
}

export function turnJson(turn: Turn): Json {
  const { result } = turn;
  return {
    id: turn.id,
    status: turn.status,
    runId: turn.run_id,
    queuedAt: turn.queued_at,
    startedAt: turn.started_at,
    deadlineAt: turn.deadline_at,
    endedAt: turn.ended_at,
    cancelAskedAt: turn.cancel_asked_at,
    result: result && {
      code: result.code,
      stopReason: result.stop_reason,
      message: result.message,
      cause: result.cause,
    },
    usage: turn.usage as Json,
  };
}

export function conversationJson(
  thread: Thread,
  turns: readonly Turn[],
  { messages, tools }: Conversation,
): Json {
  return {
    ...threadJson(thread),
    turns: turns.map(turnJson),
    messages: messages.map(({ seq, turnId, role, text, at, isWhole }) => ({
      seq,
      turnId,
      role,
      text,
      at,
      isWhole,
    })),
    tools: tools.map(({ seq, turnId, id, title, status, at }) => ({
      seq,
      turnId,
      id,
      title,
      status: status ?? null,
      at,
    })),
  };
}

export function eventJson({ type, seq, turn_id: turnId, at, payload }: ThreadEvent): Json {
  return { type, seq, turnId, at, payload: payload as Json };
}

export interface Asked {
  readonly threadId: string;
  readonly turnId: string;
}

export interface ResultParts extends Asked {
  readonly end: TurnEnd;
  /* What the agent said, as stdout would have it. */
  readonly text: string;
  readonly usage: Readonly<Record<string, unknown>> | undefined;
  readonly exitCode: number;
}

export function resultJson({ end, text, usage, exitCode, ...asked }: ResultParts): Json {
  const { threadId, turnId } = asked;
  return {
    type: 'result',
    threadId,
    turnId,
    status: end.status,
    code: end.code ?? null,
    stopReason: end.stopReason ?? null,
    message: end.message ?? null,
    cause: end.cause ?? null,
    text,
    usage: (usage ?? null) as Json,
    exitCode,
  };
}

export function askJson(ask: Ask): Json {
  return {
    type: 'ask',
    id: ask.id,
    threadId: ask.thread_id,
    turnId: ask.turn_id,
    agent: ask.agent,
    class: ask.class,
    state: ask.state,
    title: ask.title,
    options: ask.options.map(({ option_id: id, name, kind }) => ({ id, name, kind })),
    params: ask.params as Json,
    digest: ask.digest,
    askedAt: ask.asked_at,
    decidedBy: ask.decided_by,
    decidedAt: ask.decided_at,
    answerKind: ask.answer_kind ?? null,
  };
}
