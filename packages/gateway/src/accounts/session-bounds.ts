/*
 * How many sessions an account may have, and how often it may start them and go out to hosts. The numbers are settings; the reasons
 * of the usual ones are here. What one account is given by itself (`accounts.ID` of the settings) comes before what all have.
 *
 * Of sessions that may be open, what comes with a token gets three quarters, so that its person finds one. Rates are for members and
 * for all tokens; the owner's own devices have none, but for tests of a host, where a failed login may count against us.
 */
import type { EndpointLimit, LimitSetting } from '@clawdfather/protocol/api';
import type { AccountId } from '@clawdfather/store';
import { tokenShareOf } from '@clawdfather/tools';
import type { AccountConfig } from '../gateway-config.ts';
import { ApiError } from '../http/api-error.ts';

export interface SessionBounds extends Readonly<Record<LimitSetting, number>> {
  /* The owner has the machine: as many as two people and their agents keep open. */
  readonly ownerOpenMax: number;
  /* As many as a person follows. */
  readonly memberOpenMax: number;
}

export const usualSessionBounds: SessionBounds = {
  ownerOpenMax: 64,
  memberOpenMax: 3,
  sessionStartsPerHour: 10,
  hostChangesPerHour: 20,
  hostProbesPerHour: 30,
  hostTestsPerMinute: 5,
};

export interface SessionLimits {
  openMaxOf(accountId: AccountId, isPerson: boolean): number;
  /* The number that a limit of an endpoint has for this account. */
  hitsMaxOf(limit: EndpointLimit, accountId: string | undefined): number;
}

export interface SessionLimitsInput {
  readonly bounds: SessionBounds;
  readonly accounts: readonly AccountConfig[];
  readonly ownerId: AccountId;
}

export function createSessionLimits({
  bounds,
  accounts,
  ownerId,
}: SessionLimitsInput): SessionLimits {
  const own = new Map(accounts.map((account) => [account.id, account]));
  return {
    openMaxOf: (accountId, isPerson) => {
      const usual = accountId === ownerId ? bounds.ownerOpenMax : bounds.memberOpenMax;
      const openMax = own.get(accountId)?.sessionsMax ?? usual;
      return isPerson ? openMax : tokenShareOf(openMax);
    },
    hitsMaxOf: ({ setting, hitsMax }, accountId = '') => {
      if (setting === undefined) return hitsMax;
      const given = own.get(accountId)?.sessionStartsPerHour;
      return setting === 'sessionStartsPerHour' && given !== undefined ? given : bounds[setting];
    },
  };
}

export function tooManySessions(openMax: number): ApiError {
  return new ApiError('session_limit_reached', `${openMax} of ${openMax} sessions are open`, {
    detail: { open_max: openMax },
    hint: 'Close one that is not needed (clf session ls, clf session close ID). Whoever runs the gateway can allow more in its settings.',
  });
}
