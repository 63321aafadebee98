/*
 * Places of one kind, such as those for sockets, counted by account. What comes with a token gets three quarters of them, so that
 * its person finds one.
 */
import { tokenShareOf } from '@clawdfather/tools';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';

export interface AccountPlaces {
  /* Throws `rate_limited`. Call the result when the place is free again; more than once is harmless. */
  take(caller: Pick<Caller, 'accountId' | 'kind'>): () => void;
}

export interface PlacesOptions {
  /* As the refusal says it, such as `sockets`. */
  readonly what: string;
  readonly placesMax: number;
}

interface Taken {
  all: number;
  ofTokens: number;
}

export function createAccountPlaces({ what, placesMax }: PlacesOptions): AccountPlaces {
  const share = tokenShareOf(placesMax);
  const accounts = new Map<string, Taken>();
  return {
    take: ({ accountId, kind }) => {
      const taken = accounts.get(accountId) ?? { all: 0, ofTokens: 0 };
      const isToken = kind === 'token';
      if (taken.all >= placesMax) throw full(what, placesMax);
      if (isToken && taken.ofTokens >= share) throw full(`${what} of tokens`, share);
      taken.all += 1;
      if (isToken) taken.ofTokens += 1;
      accounts.set(accountId, taken);
      let isLeft = false;
      return () => {
        if (isLeft) return;
        isLeft = true;
        taken.all -= 1;
        if (isToken) taken.ofTokens -= 1;
        if (taken.all === 0) accounts.delete(accountId);
      };
    },
  };
}

function full(what: string, reached: number): ApiError {
  return new ApiError('rate_limited', `${reached} ${what} of this account are open already`, {
    detail: { reached },
    hint: 'Close one, or wait until one has closed.',
    headers: { 'retry-after': '1' },
  });
}
