/*
 * Who may read /metrics: this machine, and the networks that the configuration names.
 *
 * The address is the peer's, or behind a trusted proxy the one it forwards. A proxy that is not trusted, on this machine,
 * would make the whole world look like this machine: a request that says it was forwarded, from somebody whose word does not
 * count, is therefore nobody's.
 */
import ipaddr from 'ipaddr.js';

export interface MetricsReader {
  /* As the trusted proxies say it is. */
  readonly ip: string;
  readonly peer: string | undefined;
  readonly header: (name: string) => string | undefined;
}

type Network = ReturnType<typeof ipaddr.parseCIDR>;

const forwardedHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip'] as const;

export function createMayReadMetrics(
  networks: readonly string[],
): (reader: MetricsReader) => boolean {
  const allowed = networks.map(parseNetwork);
  return ({ ip, peer, header }) => {
    if (!ipaddr.isValid(ip)) return false;
    const isForwarded = forwardedHeaders.some((name) => header(name) !== undefined);
    // The same address before and after: no trusted proxy stands between.
    if (isForwarded && ip === peer) return false;
    const address = ipaddr.process(ip);
    return address.range() === 'loopback' || allowed.some((network) => isIn(address, network));
  };
}

/* A single address is a network of one. */
function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, network: Network): boolean {
  // The two families do not compare.
  return address.kind() === network[0].kind() && address.match(network);
}
