/*
 * What happens in threads, for the log, the metrics and the spans (docs/observability.md). No prompt, no output and no text of an agent is
 * in it.
 *
 * A turn's span is sent by the gateway that stores its end, under the id that the turn was given when it was taken in (turn-trace.ts).
 */
import type { AskRow, JsonObject, TurnRow } from '@clawdfather/agents';
import { assertNever, type Log } from '@clawdfather/kit';
import type { ObservedThread, ThreadEvent, ThreadsObserver } from '@clawdfather/threads';
import { logDocumented } from '../observe/log-events.ts';
import type { Tracing } from '../observe/tracing.ts';
import type { TurnObserver } from '../observe/turn-counts.ts';
import { parseTurnTrace } from '../observe/turn-trace.ts';

export interface ThreadObserverDeps {
  readonly log: Log;
  readonly metrics: TurnObserver;
  readonly tracing: Pick<Tracing, 'noteSpan'>;
  readonly apart: ThreadsObserver['apart'];
}

export function createThreadObserver(deps: ThreadObserverDeps): ThreadsObserver {
  return { told: (about, event) => tell(deps, about, event), apart: deps.apart };
}

function tell(deps: ThreadObserverDeps, about: ObservedThread, event: ThreadEvent): void {
  switch (event.type) {
    case 'turn-queued': {
      const { turn } = event;
      return logOf(deps, about, turn).debug('turn.queued', namesOf(about, turn));
    }
    case 'turn-requeued': {
      const { turn } = event;
      return logOf(deps, about, turn).warn('turn.requeued', namesOf(about, turn));
    }
    case 'turn-started':
      return tellStart(deps, about, event.turn);
    case 'turn-ended':
      return tellEnd(deps, about, event);
    case 'queue-full':
      deps.metrics.refused(`${event.lane}_full`);
      return logOf(deps, about).event('turn.refused', {
        threadId: about.thread.id,
        agent: about.thread.agent,
        lane: event.lane,
      });
    case 'asked': {
      const { ask } = event;
      deps.metrics.asked(ask.class);
      return logOf(deps, about).event('ask.opened', askFacts(about, ask));
    }
    case 'ask-closed': {
      const { ask, outcome, waitMs } = event;
      deps.metrics.askClosed({ class: ask.class, outcome, waitMs });
      const facts = { ...askFacts(about, ask), outcome, waitMs };
      return logOf(deps, about).event('ask.closed', facts);
    }
    default:
      return assertNever(event);
  }
}

function tellStart(deps: ThreadObserverDeps, about: ObservedThread, turn: TurnRow): void {
  const { agent } = about.thread;
  const waitMs = between(turn.queuedAtMs, turn.startedAtMs);
  deps.metrics.started({ agent, waitMs });
  const facts = { ...namesOf(about, turn), queueWaitMs: waitMs };
  logOf(deps, about, turn).event('turn.started', facts);
}

function tellEnd(
  deps: ThreadObserverDeps,
  about: ObservedThread,
  { turn, failure }: Extract<ThreadEvent, { type: 'turn-ended' }>,
): void {
  const { metrics } = deps;
  const { agent } = about.thread;
  const { startedAtMs, endedAtMs, status } = turn;
  const { code = 'error', cause } = turn.result ?? {};
  const durationMs = startedAtMs === undefined ? undefined : between(startedAtMs, endedAtMs);
  metrics.ended({ agent, result: code, durationMs });
  if (cause === 'queue_timeout') metrics.refused('timeout');
  const log = logOf(deps, about, turn);
  const facts = { ...namesOf(about, turn), status, result: code, cause, durationMs };
  log.event('turn.ended', facts);
  if (failure !== undefined) {
    metrics.failed(failure);
    const error = cause ?? 'not-started';
    logDocumented(log.child({ component: 'session' }), 'session.error', {
      error_type: failure,
      error,
    });
  }
  sendSpan(deps, about, turn);
}

function sendSpan(
  { tracing }: ThreadObserverDeps,
  { thread }: ObservedThread,
  turn: TurnRow,
): void {
  const trace = parseTurnTrace(turn.trace);
  const { startedAtMs, endedAtMs, status } = turn;
  // One that was never started was no work.
  if (trace === undefined || startedAtMs === undefined || endedAtMs === undefined) return;
  const isDone = status === 'completed' || status === 'cancelled';
  tracing.noteSpan({
    name: 'agent.process_message',
    attributes: {
      session_lease_id: thread.sessionId ?? '',
      message_length: lengthOf(turn.prompt),
    },
    trace,
    startMs: startedAtMs,
    endMs: startedAtMs + between(startedAtMs, endedAtMs),
    ...(isDone ? {} : { failure: turn.result?.code ?? status }),
  });
}

/* Of its texts, in characters. */
function lengthOf(prompt: readonly JsonObject[]): number {
  return prompt.reduce((sum, { text }) => sum + (typeof text === 'string' ? text.length : 0), 0);
}

/* Times of the journal and times of gateways may differ a little. */
function between(fromMs: number, toMs = fromMs): number {
  return Math.max(0, toMs - fromMs);
}

function namesOf({ thread }: ObservedThread, { id }: TurnRow) {
  return { threadId: thread.id, turnId: id, agent: thread.agent };
}

function askFacts({ thread }: ObservedThread, { id, turnId, class: askClass }: AskRow) {
  return { threadId: thread.id, turnId, askId: id, class: askClass };
}

function logOf({ log }: ThreadObserverDeps, { accountId, thread }: ObservedThread, turn?: TurnRow) {
  const traceId = parseTurnTrace(turn?.trace)?.traceId;
  return log.child({
    component: 'agent',
    account_id: accountId,
    ...(thread.sessionId === undefined ? {} : { session_lease_id: thread.sessionId }),
    ...(traceId === undefined ? {} : { trace_id: traceId }),
  });
}
