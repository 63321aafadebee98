/*
 * Who may end what. The one rule for every way of ending: cancelling and removing a run, closing a session or all of them,
 * revoking a key by force, `kill`, `remove` and `clear` over MCP, and the clean-up that finishes what a closed session began.
 *
 *   what            | a person, on a device | a token | the gateway: its clean-up, its operator
 *   a person's run  | yes                   | no      | yes
 *   any other run   | yes                   | yes     | yes
 *
 * An agent may hold a token, and an agent must not end a person's run. Which runs the caller sees at all is decided before
 * (whose-runs.ts). Taking back a held run counts as ending it.
 */
import type { RunRecord } from '@clawdfather/supervisor';
import { requesterLabel } from '@clawdfather/supervisor/origins';
import type { ApprovalSummary } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';
import { isOfDevice, isOfToken } from '../http/caller.ts';

export interface Endable {
  readonly runId: string;
  /* Who asked for it; undefined: it does not say. */
  readonly requester: string | undefined;
}

/* `actor` as the audit log has it (`actorOf`). */
export function mayEnd(actor: string, { requester }: Pick<Endable, 'requester'>): boolean {
  return !isOfToken(actor) || requester === undefined || !isOfDevice(requester);
}

/* All or nothing. Throws `forbidden`, with the runs that this actor may not end. */
export function checkMayEnd(actor: string, runs: readonly Endable[]): void {
  const others = runs.filter((run) => !mayEnd(actor, run)).map(({ runId }) => runId);
  if (others.length === 0) return;
  const which = others.length === 1 ? `run ${others[0]}` : `runs ${others.join(', ')}`;
  throw new ApiError('forbidden', `a person started ${which}, which a token does not end`, {
    detail: { needs: 'person', has: 'token', runs: others },
    hint: 'Nothing was ended. Whoever started it can end it, signed in on a device.',
  });
}

export function endableOf({ runId, labels }: Pick<RunRecord, 'runId' | 'labels'>): Endable {
  return { runId, requester: labels[requesterLabel] };
}

export function endableOfHeld({ runId, requester }: ApprovalSummary): Endable {
  return { runId, requester };
}
