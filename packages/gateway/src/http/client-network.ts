/*
 * The unit of a limit per address: an IPv4 address, or the /64 network of an IPv6 address. A client with one address of a /64 can
 * use all of them, so counting single addresses would limit nothing.
 */
import ipaddr from 'ipaddr.js';

const networkParts = 4;
const siteParts = 3;

/* A client that is gone has no address, although the types say otherwise. Such clients are counted together. */
const gone = 'gone';

export function clientNetworkOf(ip: string | undefined): string {
  if (ip === undefined) return gone;
  const address = parse(ip);
  return address instanceof ipaddr.IPv6
    ? format(address, networkParts)
    : (address?.toString() ?? ip);
}

/*
 * The /48 network of an IPv6 address: what one person may be given, with 65,536 networks in it. For a limit that protects another one which
 * everybody shares. Undefined: an IPv4 address, of which nobody is given many.
 */
export function clientSiteOf(ip: string | undefined): string | undefined {
  const address = ip === undefined ? undefined : parse(ip);
  return address instanceof ipaddr.IPv6 ? format(address, siteParts) : undefined;
}

/* Undefined: it says nothing of a network. An IPv4 address on an IPv6 socket counts as the IPv4 address. */
function parse(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ip.includes(':') && ipaddr.isValid(ip) ? ipaddr.process(ip) : undefined;
}

function format({ parts }: ipaddr.IPv6, count: number): string {
  const shown = parts.slice(0, count).map((part) => part.toString(16));
  return `${shown.join(':')}::/${count * 16}`;
}
