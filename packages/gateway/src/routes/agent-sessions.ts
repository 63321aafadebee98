/*
 * The sessions of agents as other agents see them: from parsed requests to their actions, and from rows to answers.
 */
import type { KeyHolder, SaidText, ThreadRow } from '@clawdfather/agents';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import {
  type AgentRequest,
  SessionsOfAgent,
  type SessionsOfAgentDeps,
  type TurnOfThread,
} from '../agents/sessions-of-agent.ts';
import { showOwnership } from '../agents/show-thread.ts';
import { formatTime } from '../http/format-time.ts';
import type { Handlers, RequestFacts } from '../http/handlers.ts';
import { parseIdempotencyKey } from '../http/idempotency-key.ts';
import type { Observe } from '../observe/open-observe.ts';
import { newTrace } from '../observe/trace-context.ts';
import { newTurnTrace } from '../observe/turn-trace.ts';

export interface AgentSessionsParts extends SessionsOfAgentDeps {
  readonly observe: Pick<Observe, 'currentTrace' | 'tracing'>;
}

type SessionAnswer = AnswerOf<Api['agentSessions']['status']>['session'];
type ReceiptAnswer = AnswerOf<Api['agentSessions']['receipt']>['receipt'];
type HistoryAnswer = AnswerOf<Api['agentSessions']['history']>['items'][number];

export function createAgentSessionsHandlers(
  parts: AgentSessionsParts,
): Handlers<Api['agentSessions']> {
  const of = (agent: KeyHolder): SessionsOfAgent => new SessionsOfAgent(parts, agent);
  const requestOf = (call: RequestFacts): AgentRequest => ({
    key: parseIdempotencyKey(call.header('idempotency-key')),
    ip: call.ip,
    traceId: call.traceId,
    trace: traceForTurn(parts),
  });
  return {
    list: async ({ agent, query }) => {
      const { items, nextOffset = null } = await of(agent).list(query);
      return {
        own_session_key: agent.threadId,
        items: items.map(showSession),
        next_offset: nextOffset,
      };
    },
    spawn: async (call) => {
      const { thread, turn } = await of(call.agent).spawn(call.body, requestOf(call));
      return { session: showSession(thread), receipt: showReceipt(turn) };
    },
    status: async ({ agent, params }) => {
      const { thread, waitsFor = null, openAsks, queuedTurns } = await of(agent).status(params.id);
      return {
        session: showSession(thread),
        waits_for: waitsFor,
        open_asks: openAsks,
        queued_turns: queuedTurns,
      };
    },
    history: async ({ agent, params, query }) => {
      const { items, nextBefore = null } = await of(agent).history(params.id, query);
      return { items: items.map(showSaid), next_before: nextBefore };
    },
    send: async (call) => {
      const { agent, params, body } = call;
      return { receipt: showReceipt(await of(agent).send(params.id, body, requestOf(call))) };
    },
    receipt: async ({ agent, params }) => ({
      receipt: showReceipt(await of(agent).receipt(params.id)),
    }),
  };
}

/* Below the request that brings it. */
function traceForTurn({ observe, random }: AgentSessionsParts): string {
  const spanId = observe.tracing.currentSpanId();
  return newTurnTrace(observe.currentTrace() ?? newTrace(random), { random, spanId });
}

function showSession(thread: ThreadRow): SessionAnswer {
  return {
    ...showOwnership(thread),
    title: thread.title,
    directory: thread.cwd,
    status: thread.status,
    last_result_code: thread.lastResultCode ?? null,
    created_at: formatTime(thread.createdAtMs),
    updated_at: formatTime(thread.updatedAtMs),
  };
}

function showReceipt(turn: TurnOfThread): ReceiptAnswer {
  const { startedAtMs, endedAtMs, result } = turn;
  const begun = startedAtMs === undefined ? 'accepted' : 'begun';
  return {
    receipt: turn.id,
    session_key: turn.threadId,
    state: endedAtMs === undefined ? begun : 'ended',
    accepted_at: formatTime(turn.queuedAtMs),
    begun_at: formatTime(startedAtMs),
    ended_at: formatTime(endedAtMs),
    status: turn.status,
    result_code: result?.code ?? null,
    message: result?.message ?? null,
  };
}

function showSaid({
  seq,
  turnId,
  role,
  from,
  text,
  isCut,
  atMs,
}: SaidText & { readonly isCut: boolean }): HistoryAnswer {
  return {
    seq,
    turn_id: turnId ?? null,
    role,
    from_session_key: from?.replace(/^thread:/, '') ?? null,
    text,
    is_cut: isCut,
    at: formatTime(atMs),
  };
}
