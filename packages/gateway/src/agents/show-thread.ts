/*
 * Agents, threads, turns and events as the API shows them.
 */
import {
  type EventRow,
  type ListedAgent,
  ownerOf,
  type ThreadRow,
  type TurnRow,
} from '@clawdfather/agents';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { showSyncOfTurn } from '../artifacts/turn-artifacts.ts';
import { formatTime } from '../http/format-time.ts';
import type { CallerThreads, TurnStanding } from './caller-threads.ts';
import { showPlace } from './show-queue.ts';

type AgentAnswer = AnswerOf<Api['agents']['list']>['items'][number];
type ThreadAnswer = AnswerOf<Api['threads']['create']>['thread'];
type TurnAnswer = AnswerOf<Api['turns']['get']>['turn'];
type EventAnswer = AnswerOf<Api['threads']['events']>['items'][number];

export function showAgent(agent: ListedAgent): AgentAnswer {
  const { name, title, source, isInstalled, version, signedIn, lastTest } = agent;
  return {
    name,
    title,
    source,
    is_installed: isInstalled,
    version: version ?? null,
    is_signed_in: signedIn === undefined ? null : signedIn.kind !== 'no',
    last_test:
      lastTest === undefined ? null : { outcome: lastTest.outcome, at: formatTime(lastTest.atMs) },
  };
}

export function showThread(thread: ThreadRow): ThreadAnswer {
  return {
    id: thread.id,
    title: thread.title,
    agent: thread.agent,
    status: thread.status,
    connection_id: thread.connectionId ?? null,
    directory: thread.cwd,
    session_id: thread.sessionId ?? null,
    last_seq: thread.lastSeq,
    seen_seq: thread.seenSeq ?? 0,
    last_turn_id: thread.lastTurnId ?? null,
    last_result_code: thread.lastResultCode ?? null,
    ...showOwnership(thread),
    created_at: formatTime(thread.createdAtMs),
    updated_at: formatTime(thread.updatedAtMs),
  };
}

export function showOwnership(thread: ThreadRow) {
  const owner = ownerOf(thread);
  return {
    session_key: owner.sessionKey,
    agent_id: owner.agentId,
    backend: owner.backend,
    owner_session_key: owner.ownerSessionKey,
    spawned_by: owner.spawnedBy ?? null,
    parent_session_key: owner.parentSessionKey ?? null,
    ancestor_session_keys: [...owner.ancestors],
    gateway_instance_id: owner.gatewayInstanceId,
  };
}

export function showTurn(
  turn: TurnRow,
  threadId: string,
  { place, sync, poll }: TurnStanding,
): TurnAnswer {
  const { result } = turn;
  return {
    id: turn.id,
    thread_id: threadId,
    status: turn.status,
    run_id: turn.runId ?? null,
    queued_at: formatTime(turn.queuedAtMs),
    started_at: formatTime(turn.startedAtMs),
    deadline_at: formatTime(turn.deadlineAtMs),
    ended_at: formatTime(turn.endedAtMs),
    cancel_asked_at: formatTime(turn.cancelAskedAtMs),
    priority: turn.priority,
    not_before: formatTime(turn.notBeforeMs),
    queue: place === undefined ? null : showPlace(place),
    poll:
      poll === undefined ? null : { interval_ms: poll.intervalMs, until: formatTime(poll.untilMs) },
    result:
      result === undefined
        ? null
        : {
            code: result.code,
            stop_reason: result.stopReason ?? null,
            message: result.message ?? null,
            cause: result.cause ?? null,
          },
    usage: turn.usage ?? null,
    artifact_sync: showSyncOfTurn(sync),
  };
}

/* As it is now. */
export async function showTurnOf(mine: CallerThreads, turnId: string): Promise<TurnAnswer> {
  const turn = await mine.turn(turnId);
  return showTurn(turn, turn.threadId, await mine.standing(turn));
}

export function showEvent({ seq, turnId, type, payload, atMs }: EventRow): EventAnswer {
  return { seq, turn_id: turnId ?? null, type, payload, at: formatTime(atMs) };
}
