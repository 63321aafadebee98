/*
 * How many sockets there are, by address and by account, and whether one more may come.
 */
import { ApiError } from '../http/api-error.ts';
import type { SocketLimits } from './limits.ts';
import type { SocketTarget } from './check-upgrade.ts';

export interface SocketCounts {
  readonly session: number;
  readonly run: number;
  /* Since the start, by cause. */
  readonly refused: Readonly<Record<string, number>>;
  readonly closed: Readonly<Record<string, number>>;
}

export interface SocketTally {
  /* Throws an `ApiError` when there are too many. */
  admit(target: SocketTarget, address: string): void;
  release(target: SocketTarget, address: string): void;
  /* False: the account has too many. */
  admitAccount(accountId: string): boolean;
  releaseAccount(accountId: string): void;
  countRefusal(code: string): void;
  countClose(code: number): void;
  counts(): SocketCounts;
}

export function createSocketTally(limits: SocketLimits): SocketTally {
  const kinds = { session: 0, run: 0 };
  const addresses = new Map<string, number>();
  const accounts = new Map<string, number>();
  const refused = new Map<string, number>();
  const closed = new Map<string, number>();
  return {
    admit: ({ kind }, address) => {
      if (kinds.session + kinds.run >= limits.socketsMax) {
        throw new ApiError('unavailable', 'this gateway has as many sockets as it takes');
      }
      if ((addresses.get(address) ?? 0) >= limits.perAddressMax) {
        throw new ApiError('rate_limited', 'too many sockets from this address');
      }
      kinds[kind] += 1;
      change(addresses, address, 1);
    },
    release: ({ kind }, address) => {
      kinds[kind] -= 1;
      change(addresses, address, -1);
    },
    admitAccount: (accountId) => {
      if ((accounts.get(accountId) ?? 0) >= limits.perAccountMax) return false;
      change(accounts, accountId, 1);
      return true;
    },
    releaseAccount: (accountId) => change(accounts, accountId, -1),
    countRefusal: (code) => change(refused, code, 1),
    countClose: (code) => change(closed, String(code), 1),
    counts: () => ({
      ...kinds,
      refused: Object.fromEntries(refused),
      closed: Object.fromEntries(closed),
    }),
  };
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
