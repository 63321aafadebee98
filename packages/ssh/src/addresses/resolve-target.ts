/*
 * From the host of a connection to the one address that is dialled.
 *
 * 1. An address in its usual form is taken as it stands; anything else is looked up, once.
 * 2. All addresses of the answer are judged (address-policy.ts).
 * 3. The first is the answer. From here on the name is never used again: the dialer, ssh's configuration and the record of the
 *    session have the address, so a name that changes between two look-ups changes nothing.
 *
 * What a resolver takes for an address (`127.1`, `0x7f000001`, circled digits) comes back as the address that it means, and is
 * judged as such, although the API refuses such hosts before.
 */
import { errnoOf, orAborted, within } from '@clawdfather/kit';
import type { Clock } from '@clawdfather/kit';
import { chooseAddress } from './address-policy.ts';
import type { AddressPolicy, ForbiddenWhy } from './address-policy.ts';
import { parseIpAddress } from './ip-address.ts';

/* As `dns.promises.lookup(host, { all: true, order: 'verbatim' })` of Node: the system's resolver, with its hosts file. */
export type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>;

export interface ResolverPorts {
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface ResolveRequest {
  readonly host: string;
  readonly port: number;
  readonly policy: AddressPolicy;
}

export type ResolveOutcome =
  | { readonly outcome: 'resolved'; readonly address: string }
  | { readonly outcome: 'forbidden'; readonly address: string; readonly why: ForbiddenWhy }
  /* `errno` is the resolver's word: ENOTFOUND, EAI_AGAIN. */
  | { readonly outcome: 'not-found'; readonly errno: string }
  | { readonly outcome: 'timeout' }
  | { readonly outcome: 'aborted' };

/* A resolver with two silent servers gives up after 20 s by itself; a third of the time that a start may take. */
export const lookupMsMax = 10_000;
/* More than any name of a host has; an answer over TCP could bring thousands. */
const addressesMax = 64;

export async function resolveTarget(
  { host, port, policy }: ResolveRequest,
  ports: ResolverPorts,
): Promise<ResolveOutcome> {
  const found = parseIpAddress(host) === undefined ? await lookUp(host, ports) : [host];
  if ('outcome' in found) return found;
  const verdict = chooseAddress(found, port, policy);
  return verdict.outcome === 'forbidden'
    ? verdict
    : { outcome: 'resolved', address: verdict.address };
}

async function lookUp(
  host: string,
  { lookup, clock, signal }: ResolverPorts,
): Promise<readonly string[] | Exclude<ResolveOutcome, { outcome: 'resolved' }>> {
  if (signal.aborted) return { outcome: 'aborted' };
  try {
    const answer = await within(orAborted(lookup(host), signal), {
      clock,
      ms: lookupMsMax,
      late: () => undefined,
    });
    if (answer === undefined) return { outcome: 'timeout' };
    const isUsable = answer.length > 0 && answer.length <= addressesMax;
    return isUsable
      ? answer.map(({ address }) => address)
      : { outcome: 'not-found', errno: answer.length === 0 ? 'ENODATA' : 'E2BIG' };
  } catch (error) {
    if (signal.aborted) return { outcome: 'aborted' };
    const errno = errnoOf(error);
    // A failure without a word of the system's is a mistake in the program, not the resolver's answer.
    if (errno === undefined) throw error;
    return { outcome: 'not-found', errno };
  }
}
