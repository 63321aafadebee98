/*
 * Whose pushes are under way at one sender, so that neither a push service that hangs nor one account holds all of its places.
 */
import type { PushPlace, PushShares } from './notices.ts';

export interface PushPlaces {
  hasRoom(place: PushPlace): boolean;
  add(place: PushPlace): void;
  /* Those that have no room. */
  full(): { readonly services: readonly string[]; readonly accounts: readonly string[] };
}

/* Without shares there is always room. */
export function createPushPlaces(shares: PushShares | undefined): PushPlaces {
  const { underWay = [], perServiceMax = Infinity, perAccountMax = Infinity } = shares ?? {};
  const services = new Map<string, number>();
  const accounts = new Map<string, number>();
  const isFull = (counts: Map<string, number>, name: string | undefined, max: number): boolean =>
    name !== undefined && (counts.get(name) ?? 0) >= max;
  const fullOf = (counts: Map<string, number>, max: number): readonly string[] =>
    [...counts.keys()].filter((name) => isFull(counts, name, max));
  const add = ({ service, accountId }: PushPlace): void => {
    accounts.set(accountId, (accounts.get(accountId) ?? 0) + 1);
    if (service !== undefined) services.set(service, (services.get(service) ?? 0) + 1);
  };
  for (const place of underWay) add(place);
  return {
    hasRoom: ({ service, accountId }) =>
      !isFull(services, service, perServiceMax) && !isFull(accounts, accountId, perAccountMax),
    add,
    full: () => ({
      services: fullOf(services, perServiceMax),
      accounts: fullOf(accounts, perAccountMax),
    }),
  };
}

/* The beginning of an address, up to its path: `https://push.example/`. As it is stored, so that the database can compare it. */
export function serviceOf(endpoint: string): string {
  return /^[^/]*\/\/[^/]*\//.exec(endpoint)?.[0] ?? endpoint;
}
