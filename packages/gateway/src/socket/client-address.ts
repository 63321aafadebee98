/*
 * Whose connection it is, behind trusted proxies too: the same answer as `request.ip` gives for a request.
 *
 * Each proxy appends the address that it saw to `X-Forwarded-For`. Read from the right, entries are true as long as whoever
 * wrote them is trusted; the first that is not trusted is the client.
 */
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type ClientAddress = (remote: string | undefined, forwarded: string | undefined) => string;

const namedNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const network of trustedProxies.flatMap((text) => namedNetworks[text] ?? [text])) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    trusted.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  const isTrusted = (address: string): boolean =>
    trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return (remote = '', forwarded) => {
    let client = plain(remote);
    if (trustedProxies.length === 0 || forwarded === undefined) return client;
    for (const entry of forwarded.split(',').toReversed()) {
      if (!isTrusted(client)) break;
      const address = plain(entry.trim());
      if (isIP(address) === 0) break;
      client = address;
    }
    return client;
  };
}

/* An IPv4 address that came over IPv6 is the same client. */
function plain(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
