/*
 * Agents, threads, turns and events as the API shows them.
 */
import {
  type Choice,
  type EventRow,
  type ListedAgent,
  type Offered,
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
type OfferedAnswer = AnswerOf<Api['threads']['choices']>;
type ChoiceAnswer = OfferedAnswer['items'][number];
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
    pinned_at: formatTime(thread.pinnedAtMs),
    chosen: thread.chosen ?? {},
    current_choices: (thread.currentChoices ?? []).map(
      ({ valueName, category = null, ...choice }) => ({
        ...choice,
        category,
        value_name: valueName,
      }),
    ),
    last_turn_id: thread.lastTurnId ?? null,
    last_result_code: thread.lastResultCode ?? null,
    ...showOwnership(thread),
    created_at: formatTime(thread.createdAtMs),
    updated_at: formatTime(thread.updatedAtMs),
  };
}

function showChoice(choice: Choice): ChoiceAnswer {
  const { id, name, category, description, values, moreValues, current } = choice;
  return {
    id,
    name,
    category: category ?? null,
    description: description ?? null,
    values: values.map((one) => ({ ...one, description: one.description ?? null })),
    more_values: moreValues,
    current: current ?? null,
  };
}

export function showOffered({ choices = [], seenAtMs }: Partial<Offered>): OfferedAnswer {
  return { items: choices.map(showChoice), seen_at: formatTime(seenAtMs) };
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
    client_message_id: turn.clientMessageId ?? null,
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
    waiting_text: waitingText(turn),
    poll:
      poll === undefined
        ? null
        : {
            interval_ms: poll.intervalMs,
            until: formatTime(poll.untilMs),
            left_ms: poll.leftMs,
          },
    reaching: showReaching(turn),
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

/* What was not reached before a turn ended is in its result. */
function showReaching({ status, reaching }: TurnRow): TurnAnswer['reaching'] {
  if (status !== 'running' || reaching === undefined) return null;
  const { cause, message, sinceMs, tries, nextAtMs } = reaching;
  return {
    cause,
    message,
    since: formatTime(sinceMs),
    tries,
    next_try_at: formatTime(nextAtMs),
  };
}

/* What people write into a field, and change there; more would make every answer long. */
const waitingTextMax = 16_000;

function waitingText({ status, prompt }: TurnRow): string | null {
  if (status !== 'queued') return null;
  const texts = prompt.map(({ type, text }) => (type === 'text' ? text : undefined));
  if (!texts.every((text) => typeof text === 'string')) return null;
  const text = texts.join('\n');
  return text.length > waitingTextMax ? null : text;
}

/* Enough to tell one message from another in a list. */
const beginningMax = 200;

/* Of what a turn says; null: it begins with no text. */
export function beginningOf({ prompt }: Pick<TurnRow, 'prompt'>): string | null {
  const text = prompt.find(({ type }) => type === 'text')?.['text'];
  if (typeof text !== 'string') return null;
  // What is looked at is bounded before it is changed.
  const line = text
    .slice(0, 4 * beginningMax)
    .replace(/\s+/g, ' ')
    .trim();
  return Array.from(line).slice(0, beginningMax).join('');
}

/* As it is now. */
export async function showTurnOf(mine: CallerThreads, turnId: string): Promise<TurnAnswer> {
  const turn = await mine.turn(turnId);
  return showTurn(turn, turn.threadId, await mine.standing(turn));
}

export function showEvent({ seq, turnId, type, payload, atMs }: EventRow): EventAnswer {
  return { seq, turn_id: turnId ?? null, type, payload, at: formatTime(atMs) };
}
