/*
 * The numbers of turns and of what agents ask.
 */
import { builtInAgents, type TurnCode } from '@clawdfather/agents';
import type { AskClass } from '@clawdfather/agents';
import type { AskOutcome } from '@clawdfather/threads';
import type { Labels } from './instruments.ts';
import type { MetricName, QueueRefusal } from './metric-catalogue.ts';

/* Calls are cheap and never throw. */
export interface TurnObserver {
  started(turn: { readonly agent: string; readonly waitMs: number }): void;
  ended(turn: {
    readonly agent: string;
    readonly result: TurnCode;
    /* Undefined: it never ran. */
    readonly durationMs: number | undefined;
  }): void;
  /* No lane had room: it was not taken in, or has waited for too long. */
  refused(reason: QueueRefusal): void;
  /* Of an agent that could not be started, or was lost in a turn. */
  failed(type: 'agent_spawn' | 'runtime'): void;
  asked(askClass: AskClass): void;
  askClosed(ask: {
    readonly class: AskClass;
    readonly outcome: AskOutcome;
    readonly waitMs: number | undefined;
  }): void;
}

export interface Counting {
  readonly count: (name: MetricName, labels?: Labels) => void;
  readonly observe: (name: MetricName, value: number) => void;
}

const known: ReadonlySet<string> = new Set(builtInAgents.map(({ name }) => name));

/* People choose the names of other agents; as labels they could be any number. */
export function labelOf(agent: string): string {
  return known.has(agent) ? agent : 'other';
}

export function createTurnCounts({ count, observe }: Counting): TurnObserver {
  return {
    started: ({ agent, waitMs }) => {
      count('clawdfather_turn_start_total', { agent: labelOf(agent) });
      observe('clawdfather_turn_queue_wait_seconds', waitMs / 1_000);
    },
    ended: ({ agent, result, durationMs }) => {
      count('clawdfather_turn_end_total', { result, agent: labelOf(agent) });
      if (durationMs !== undefined) {
        observe('clawdfather_turn_duration_seconds', durationMs / 1_000);
      }
    },
    refused: (reason) => count('clawdfather_queue_refusal_total', { reason }),
    failed: (type) => count('clawdfather_session_error_total', { error_type: type }),
    asked: (askClass) => count('clawdfather_ask_total', { class: askClass }),
    askClosed: ({ class: askClass, outcome, waitMs }) => {
      count('clawdfather_ask_end_total', { class: askClass, outcome });
      if (waitMs !== undefined) observe('clawdfather_ask_wait_seconds', waitMs / 1_000);
    },
  };
}
