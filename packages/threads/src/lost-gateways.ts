/*
 * Turns that run at a gateway of which nothing is heard any more: its machine is gone, or cut off from the database. A living gateway ends
 * them after ten minutes of silence, because nothing else would; the agents themselves are left alone, since nothing proves them dead (AP5).
 *
 * Whether a gateway is silent is seen by its heartbeat not changing, and measured by our steady clock: the clocks of two machines may
 * differ, and one may jump. Time in which we did not look does not count, so neither a freeze of ours nor a database that was away for all
 * makes the others look lost.
 */
import { type DueThreads, loseTurn, releaseTurn, type TurnElsewhere } from '@clawdfather/agents';
import type { Clock, Log } from '@clawdfather/kit';
import type { Actors } from './actors.ts';

export interface LostGatewaysDeps {
  readonly due: Pick<DueThreads, 'elsewhere'>;
  readonly actors: Pick<Actors, 'of' | 'admission'>;
  readonly instanceId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly silenceMs: number;
}

/* Between two looks, a minute apart as a rule, so much counts at most. */
const lookMsMax = 90_000;

interface Silence {
  readonly beat: string | undefined;
  readonly ms: number;
}

/* A look; to be made every minute. */
export function createLostGateways(deps: LostGatewaysDeps): () => Promise<void> {
  const { due, clock, instanceId, silenceMs } = deps;
  let silences = new Map<string, Silence>();
  let lookedAtMs = clock.monotonicMs();
  return async () => {
    const turns = await due.elsewhere(instanceId);
    const nowMs = clock.monotonicMs();
    const passedMs = Math.min(nowMs - lookedAtMs, lookMsMax);
    lookedAtMs = nowMs;
    // Of those without a turn nothing is kept: a silence is measured while a turn waits for its end.
    const next = new Map<string, Silence>();
    for (const { instanceId: id, beat } of turns) {
      const before = silences.get(id);
      const isSame = before !== undefined && before.beat === beat;
      next.set(id, { beat, ms: isSame ? before.ms + passedMs : 0 });
    }
    silences = next;
    for (const turn of turns) {
      if ((silences.get(turn.instanceId)?.ms ?? 0) >= silenceMs) await loseOne(deps, turn);
    }
  };
}

/* What cannot be done for one is no reason to leave the others. */
async function loseOne(
  { actors, clock, log }: LostGatewaysDeps,
  { accountId, id, turnId, instanceId }: TurnElsewhere,
): Promise<void> {
  const message = 'the gateway that has its agent is not heard any more';
  try {
    const { rows } = actors.of({ accountId, id });
    await rows.forget();
    const changed = await rows.change((now) => {
      const atMs = clock.wallMs();
      const change =
        // What no agent was started for is for another gateway.
        releaseTurn(now, turnId, atMs) ??
        loseTurn(now, { turnId, cause: 'gateway-silent', message }, atMs);
      return change && { change };
    });
    if (changed !== undefined) log.warn('turn.gateway-lost', { threadId: id, turnId, instanceId });
    actors.admission.look();
  } catch (error) {
    log.warn('turn.not-given-up', { threadId: id, turnId, error });
  }
}
