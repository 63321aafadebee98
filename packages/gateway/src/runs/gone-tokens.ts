/*
 * Requests of a token that is gone are denied: revoked here or at another gateway of the same database, or expired. An agent that
 * lost its token does not wait for an answer, and a person who took the token away did not mean to be asked about its commands.
 *
 * Those that a gateway finds at its start are looked at as well: the token may have been revoked while it did not run.
 */
import type { Clock, Log } from '@clawdfather/kit';
import type { ApprovalStore } from '@clawdfather/supervisor';
import { createCredentialRequests } from '@clawdfather/tools';
import type { LiveTokens } from '../auth/live-tokens.ts';
import { isOfToken } from '../http/caller.ts';

export interface GoneTokensDeps {
  readonly tokens: Pick<LiveTokens, 'onForgotten' | 'check'>;
  readonly approvals: ApprovalStore;
  readonly clock: Clock;
  readonly log: Log;
}

const denial = { by: 'gateway', reason: 'its token was revoked, or has expired' };

export function denyForGoneTokens(deps: GoneTokensDeps): AsyncDisposable {
  const { tokens, approvals, clock, log } = deps;
  const requests = createCredentialRequests(approvals, clock);
  const underWay = new Set<Promise<void>>();
  const track = (work: Promise<unknown>): void => {
    const done = work
      .then(
        () => undefined,
        // They stay as they are, shown with the name of their token.
        (error: unknown) => log.error('approval.token-undenied', { error }),
      )
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };
  const stop = tokens.onForgotten((id) => track(requests.deny(`token:${id}`, denial)));
  const ids = requests
    .credentials()
    .filter(isOfToken)
    .map((credential) => credential.slice('token:'.length));
  track(tokens.check(ids));
  return {
    [Symbol.asyncDispose]: async () => {
      stop();
      await Promise.all(underWay);
    },
  };
}
