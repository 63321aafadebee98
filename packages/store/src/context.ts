/*
 * What queries are built from. An account's queries hold its id from the start, so a query without an account cannot be
 * written by forgetting an argument.
 */
import type { AccountId, Clock, Random } from '@clawdfather/kit';
import type { Runner } from './engine.ts';
import { listLimitDefault, listLimitMax } from './limits.ts';

export type { AccountId } from '@clawdfather/kit';

export interface QueryContext {
  readonly runner: Runner;
  readonly clock: Clock;
  readonly random: Random;
}

export interface AccountContext extends QueryContext {
  readonly accountId: AccountId;
}

export interface Page {
  readonly limit?: number;
  readonly offset?: number;
}

export interface Listing<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

export function limitOf({
  limit = listLimitDefault,
}: {
  readonly limit?: number | undefined;
}): number {
  return Math.max(1, Math.min(listLimitMax, Math.trunc(limit)));
}

export function offsetOf({ offset = 0 }: Page): number {
  return Math.max(0, Math.trunc(offset));
}
