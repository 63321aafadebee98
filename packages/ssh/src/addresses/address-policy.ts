/*
 * Which addresses a connection may reach, and which one of a name's addresses is dialled.
 *
 * - An address is judged by every place that it may lead to. One that is forbidden forbids the address.
 * - One forbidden address forbids the name: which of its addresses a later look-up gives first is in the hands of whoever
 *   answers for the name.
 * - The gateway's own listeners are forbidden in every policy. One on the unspecified address answers at every address of this
 *   machine, so these are compared, too.
 */
import { kindOf } from './address-kind.ts';
import type { AddressKind } from './address-kind.ts';
import { formatIpAddress, isSameAddress, parseIpAddress } from './ip-address.ts';
import type { IpAddress } from './ip-address.ts';
import { leadsTo } from './leads-to.ts';

export interface Listener {
  /* `0.0.0.0` and `::` are every address of this machine. */
  readonly address: string;
  readonly port: number;
}

export interface AddressPolicy {
  readonly allowedKinds: readonly AddressKind[];
  readonly ownListeners: readonly Listener[];
  /* Of this machine's interfaces, loopback's not needed. */
  readonly ownAddresses: readonly string[];
}

/* The machine belongs to its owner, and so does the network around it. Metadata is of no use to ssh, and never asked for. */
export const ownerKinds: readonly AddressKind[] = ['public', 'private', 'loopback', 'link-local'];
/* A member has hosts of their own, which are never this machine. */
export const memberKinds: readonly AddressKind[] = ['public', 'private'];

export interface Target {
  readonly address: string;
  readonly port: number;
}

export type ForbiddenWhy = AddressKind | 'own-listener' | 'not-an-address';

export type AddressVerdict =
  | { readonly outcome: 'allowed'; readonly address: string }
  | { readonly outcome: 'forbidden'; readonly address: string; readonly why: ForbiddenWhy };

/* The first is dialled: the resolver has put them in the order in which they are to be tried (RFC 6724). */
export function chooseAddress(
  addresses: readonly string[],
  port: number,
  policy: AddressPolicy,
): AddressVerdict {
  const verdicts = addresses.map((address) => judgeAddress({ address, port }, policy));
  const forbidden = verdicts.find(({ outcome }) => outcome === 'forbidden');
  return forbidden ?? verdicts[0] ?? refuse('', 'not-an-address');
}

export function judgeAddress(
  { address: text, port }: Target,
  policy: AddressPolicy,
): AddressVerdict {
  const address = parseIpAddress(text);
  if (address === undefined) return refuse(text, 'not-an-address');
  const places = leadsTo(address);
  if (policy.ownListeners.some((listener) => reaches(places, port, { listener, policy })))
    return refuse(text, 'own-listener');
  const kind = places.map(kindOf).find((place) => !policy.allowedKinds.includes(place));
  if (kind !== undefined) return refuse(text, kind);
  // One that is only another spelling of IPv4 is dialled as IPv4.
  const [only = address, ...more] = places;
  return { outcome: 'allowed', address: formatIpAddress(more.length === 0 ? only : address) };
}

function reaches(
  places: readonly IpAddress[],
  port: number,
  { listener, policy }: { readonly listener: Listener; readonly policy: AddressPolicy },
): boolean {
  if (listener.port !== port) return false;
  const heard = parseIpAddress(listener.address);
  // A listener that cannot be read is taken for one on every address.
  const isEverywhere = heard === undefined || heard.bytes.every((byte) => byte === 0);
  const own = isEverywhere ? policy.ownAddresses.flatMap(readPlaces) : leadsTo(heard);
  return places.some(
    (place) =>
      (isEverywhere && kindOf(place) === 'loopback') ||
      own.some((address) => isSameAddress(address, place)),
  );
}

/* The addresses of interfaces come with a zone where they are link-local. */
function readPlaces(text: string): readonly IpAddress[] {
  const address = parseIpAddress(text.replace(/%.*$/, ''));
  return address === undefined ? [] : leadsTo(address);
}

function refuse(address: string, why: ForbiddenWhy): AddressVerdict {
  return { outcome: 'forbidden', address, why };
}
