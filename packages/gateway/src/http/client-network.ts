/*
 * The unit of a limit per address: an IPv4 address, or the /64 network of an IPv6 address. A client with one address of a /64 can
 * use all of them, so counting single addresses would limit nothing.
 */
import ipaddr from 'ipaddr.js';

const networkParts = 4;

/* A client that is gone has no address, although the types say otherwise. Such clients are counted together. */
const gone = 'gone';

export function clientNetworkOf(ip: string | undefined): string {
  if (ip === undefined) return gone;
  if (!ip.includes(':') || !ipaddr.isValid(ip)) return ip;
  // An IPv4 address on an IPv6 socket counts as the IPv4 address.
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const parts = address.parts.slice(0, networkParts).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}
