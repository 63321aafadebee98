/*
 * What a supervisor hears about one run, whichever link it came over.
 *
 * `lost` is about the link, never about the run: the run goes on, its journal
 * and its own socket are there (T7).
 */
import type { ShimError } from '../errors.ts';
import type { Answer } from '../wire/answers.ts';
import type {
  BlockedAnswer,
  DoorbellAnswer,
  EndAnswer,
  ExitAnswer,
  ShimLostAnswer,
  SpawnErrorAnswer,
  StartedAnswer,
  TerminatingAnswer,
} from '../wire/answers.ts';

export interface LostEvent {
  readonly type: 'lost';
  readonly error: ShimError;
}

export type RunEvent =
  | StartedAnswer
  | DoorbellAnswer
  | ExitAnswer
  | EndAnswer
  | SpawnErrorAnswer
  | BlockedAnswer
  | ShimLostAnswer
  | TerminatingAnswer
  | LostEvent;

/* Undefined for answers that are no news about a run. */
export function asRunEvent(answer: Answer): RunEvent | undefined {
  switch (answer.type) {
    case 'hello':
    case 'ok':
    case 'refused':
    case 'spawnd-hello':
      return undefined;
    default:
      return answer;
  }
}

/* Nothing more will come over a mux or boot link about this run. */
export function isLastEvent(event: RunEvent): boolean {
  if (event.type === 'end') return event.end.isFinal;
  if (event.type === 'spawn-error') return !event.endFollows;
  return event.type === 'shim-lost' || event.type === 'lost';
}
