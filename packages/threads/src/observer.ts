/*
 * What a gateway hears of threads, for its log, its metrics and its spans. No prompt, no output and no text of an agent is in it.
 *
 * All of it is read off changes after they are stored. A change is stored once, whichever processes try it, and told by the one that
 * stored it: so nothing is told twice, and what a process stored in the moment of its death is not told.
 */
import {
  type AskClass,
  type AskRow,
  type LaneName,
  type ThreadChange,
  type ThreadRow,
  type ThreadRows,
  type TurnRow,
} from '@clawdfather/agents';
import { answerKindOf, answerKinds } from '@clawdfather/agents/asks';
import type { AccountId } from '@clawdfather/kit';

/* Which thread it is about, as it is after the change. */
export interface ObservedThread {
  readonly accountId: AccountId;
  readonly thread: ThreadRow;
}

/* How an ask was closed: the kind of the option that was taken, the answer to a question, or that none came. */
export const askOutcomes = [...answerKinds, 'withdrawn', 'void'] as const;
export type AskOutcome = (typeof askOutcomes)[number];

export type ThreadEvent =
  | { readonly type: 'turn-queued'; readonly turn: TurnRow }
  /* It waits again, because its agent died before it had the prompt. */
  | { readonly type: 'turn-requeued'; readonly turn: TurnRow }
  /* For the first time. */
  | { readonly type: 'turn-started'; readonly turn: TurnRow }
  | {
      readonly type: 'turn-ended';
      readonly turn: TurnRow;
      /* What of the agent has failed it, if that did. */
      readonly failure: 'agent_spawn' | 'runtime' | undefined;
    }
  /* It was not taken in: nothing of it is stored. */
  | { readonly type: 'queue-full'; readonly lane: LaneName }
  | { readonly type: 'asked'; readonly ask: AskRow }
  | {
      readonly type: 'ask-closed';
      readonly ask: AskRow;
      readonly outcome: AskOutcome;
      /* Of one that was answered. */
      readonly waitMs: number | undefined;
    };

export interface ThreadsObserver {
  /* Calls are cheap and never throw. */
  told(about: ObservedThread, event: ThreadEvent): void;
  /* What `work` does and waits for belongs to no request. */
  apart<Value>(work: () => Value): Value;
}

export const silentThreadsObserver: ThreadsObserver = {
  told: () => {},
  apart: (work) => work(),
};

/* What a change has brought about. The usual one, which only adds text, compares a few references. */
export function threadEventsOf(before: ThreadRows, change: ThreadChange): readonly ThreadEvent[] {
  const { rows, endedTurns } = change;
  const isQuiet =
    before.turn?.id === rows.turn?.id &&
    before.queue === rows.queue &&
    endedTurns.length === 0 &&
    isSame(before.asks, rows.asks);
  return isQuiet ? [] : [...turnEvents(before, change), ...askEvents(before, change)];
}

function isSame(before: ThreadRows['asks'], after: ThreadRows['asks']): boolean {
  if (before.size !== after.size) return false;
  for (const [id, ask] of after) if (before.get(id) !== ask) return false;
  return true;
}

function turnEvents(before: ThreadRows, { rows, endedTurns }: ThreadChange): ThreadEvent[] {
  const events: ThreadEvent[] = [];
  const waited = new Set(before.queue.map(({ id }) => id));
  for (const turn of rows.queue) {
    if (waited.has(turn.id)) continue;
    events.push({ type: turn.id === before.turn?.id ? 'turn-requeued' : 'turn-queued', turn });
  }
  // One that starts and ends in the same change is told of, too.
  for (const turn of [...endedTurns, ...(rows.turn === undefined ? [] : [rows.turn])]) {
    if (turn.id === before.turn?.id || turn.startedAtMs === undefined) continue;
    if (turn.requeuedCount === 0) events.push({ type: 'turn-started', turn });
  }
  for (const turn of endedTurns) {
    events.push({ type: 'turn-ended', turn, failure: failureOf(turn) });
  }
  return events;
}

/* An agent that we have ended ourselves did not fail. */
function failureOf(turn: TurnRow): 'agent_spawn' | 'runtime' | undefined {
  const { status, promptCall, result, startedAtMs } = turn;
  // One that never ran has no agent that could have failed.
  if (startedAtMs === undefined) return undefined;
  if (status === 'failed' && promptCall === undefined) return 'agent_spawn';
  const { cause } = result ?? {};
  const isLost = status === 'interrupted' && cause !== undefined && cause !== 'manual-cancel';
  return isLost ? 'runtime' : undefined;
}

function askEvents({ asks: before }: ThreadRows, { rows }: ThreadChange): ThreadEvent[] {
  const events: ThreadEvent[] = [];
  for (const ask of rows.asks.values()) {
    const known = before.get(ask.id);
    const wasOpen = known?.state === 'open';
    // What is done on a host is asked about only where its policy says so.
    const isNew = known === undefined && ask.class !== 'effect';
    const isAskedNow = !wasOpen && (ask.state === 'open' || isNew);
    if (isAskedNow) events.push({ type: 'asked', ask });
    if (ask.state === 'open' || !(wasOpen || isAskedNow)) continue;
    const { decision } = ask;
    const waitMs = decision && Math.max(0, decision.atMs - ask.askedAtMs);
    events.push({ type: 'ask-closed', ask, outcome: outcomeOf(ask), waitMs });
  }
  return events;
}

function outcomeOf(ask: AskRow): AskOutcome {
  const { state, decision } = ask;
  if (state === 'withdrawn' || state === 'void') return state;
  return decision === undefined ? 'other' : answerKindOf(ask, decision.answer);
}

export const askClasses = [
  'permission',
  'question',
  'effect',
] as const satisfies readonly AskClass[];
