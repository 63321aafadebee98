/*
 * Follows a turn to its end without its stream: asks after it, through restarts and a network that comes and goes, for as long and as often as
 * the gateway says. For an app that starts anew with a turn under way, and for whoever has only the turn's id.
 *
 *   const end = await recoverTurn({ client, turnId }, { clock, random, onState });
 *   if (end.kind === 'failed') show(recoveryText(end.code), { retry: mayRetry(end.code) });
 */
import { backoffMs } from '@clawdfather/kit';
import type { AnswerOf, Api, GatewayIdentity } from '@clawdfather/protocol/api';
import type { Client } from '../client.ts';
import { RefusedError } from '../errors.ts';
import type { FollowOptions } from '../follow-events.ts';
import { isWorthRetrying } from '../is-worth-retrying.ts';
import { createRenewal } from '../renewal.ts';
import {
  nextRecovery,
  type Recovery,
  recoveryBegins,
  type RecoveryEvent,
  type TurnFound,
} from './next-recovery.ts';

export interface TurnToRecover {
  readonly client: Client;
  readonly turnId: string;
  /* Who answered when the turn was last seen (`client.gateway.last`), as it was kept. */
  readonly gateway?: GatewayIdentity;
  /* Until when to ask by this device's clock, from the last answer that was kept. */
  readonly pollUntilMs?: number;
}

export interface RecoverOptions
  extends Pick<FollowOptions, 'clock' | 'random' | 'signal' | 'renewals'> {
  readonly onState?: (state: Recovery) => void;
}

export type RecoveryEnd = Extract<Recovery, { kind: 'recovered' | 'failed' }>;

/* As gateways say it; for those that do not. */
const usualIntervalMs = 2_000;

/* Throws the signal's reason, and refusals that are not about this turn, such as `unauthorized`. */
export async function recoverTurn(
  { client, turnId, gateway: keptGateway, pollUntilMs: keptUntilMs }: TurnToRecover,
  options: RecoverOptions,
): Promise<RecoveryEnd> {
  const { clock, random, signal, onState } = options;
  const lost = { kind: 'lost', atMs: clock.monotonicMs() } as const;
  const pollUntilMs =
    keptUntilMs === undefined ? undefined : lost.atMs + (keptUntilMs - clock.wallMs());
  let state: Recovery = nextRecovery({ ...recoveryBegins, pollUntilMs }, lost);
  let intervalMs = usualIntervalMs;
  let attempt = 0;
  const step = (event: RecoveryEvent): void => {
    state = nextRecovery(state, event);
    onState?.(state);
  };
  const stopWatching = client.gateway.onRestart(() => step({ kind: 'restarted' }));
  const renewing = createRenewal(options);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const ending = renewing.next();
      const answer = await askAfter(client, turnId, ending);
      signal?.throwIfAborted();
      if (ending.aborted && answer.kind === 'unanswered') {
        attempt = 0;
        continue;
      }
      if (isSuccessor(client.gateway.last, keptGateway) && !state.isRestarted) {
        step({ kind: 'restarted' });
      }
      if (answer.kind === 'found') {
        attempt = 0;
        intervalMs = answer.turn.poll?.interval_ms ?? intervalMs;
        const turn = turnFound(answer.turn, clock.wallMs());
        step({ kind: 'found', turn, atMs: clock.monotonicMs() });
      } else if (answer.kind === 'not-found') step({ kind: 'not-found' });
      else step({ kind: 'unanswered', atMs: clock.monotonicMs() });
      if (state.kind === 'recovered' || state.kind === 'failed') return state;
      const waitMs = answer.kind === 'found' ? intervalMs : backoffMs(attempt, random);
      if (answer.kind !== 'found') attempt += 1;
      // A renewal ends the wait, and the attempts that came before it count no more; the end of it all is looked at above.
      await clock.sleep(waitMs, ending).catch(() => {});
      if (ending.aborted) attempt = 0;
    }
  } finally {
    renewing.stop();
    stopWatching();
  }
}

type TurnAnswer = AnswerOf<Api['turns']['get']>['turn'];

type Answer =
  | { readonly kind: 'found'; readonly turn: TurnAnswer }
  | { readonly kind: 'not-found' | 'unanswered' };

async function askAfter(client: Client, turnId: string, signal: AbortSignal): Promise<Answer> {
  try {
    const { turn } = await client.turns.get({ params: { id: turnId } }, { signal });
    return { kind: 'found', turn };
  } catch (error) {
    if (signal.aborted) return { kind: 'unanswered' };
    if (error instanceof RefusedError && error.refusal.code === 'not_found') {
      return { kind: 'not-found' };
    }
    if (!isWorthRetrying(error)) throw error;
    return { kind: 'unanswered' };
  }
}

/* The generations of another instance behind the same address say nothing of this one. */
function isSuccessor(
  now: GatewayIdentity | undefined,
  before: GatewayIdentity | undefined,
): boolean {
  if (now === undefined || before === undefined) return false;
  return now.instanceId === before.instanceId && now.generation > before.generation;
}

/* A turn as the API shows it, as far as recovery has to know it. Our own clock counts only where an older gateway names a time alone. */
export function turnFound({ status, result, poll }: TurnAnswer, wallMs: number): TurnFound {
  const until = poll?.until ?? undefined;
  const named = until === undefined ? undefined : Date.parse(until) - wallMs;
  return { status, code: result?.code, pollLeftMs: poll?.left_ms ?? named };
}
