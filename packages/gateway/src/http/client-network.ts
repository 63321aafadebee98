/*
 * Whom a limit per address counts: an IPv4 address, or the /64 of an IPv6 address. Whoever has one address of a /64 has all of
 * them, so counting them singly would count nobody.
 */
import ipaddr from 'ipaddr.js';

const networkParts = 4;

/* A client that has gone has no address any more, whatever the types say; those are counted together. */
const gone = 'gone';

export function clientNetworkOf(ip: string | undefined): string {
  if (ip === undefined) return gone;
  if (!ip.includes(':') || !ipaddr.isValid(ip)) return ip;
  // An IPv4 address that came in over an IPv6 socket is what it was before.
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const parts = address.parts.slice(0, networkParts).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}
