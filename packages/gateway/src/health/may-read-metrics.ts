/*
 * Who may read /metrics: this machine, and the networks that the configuration names.
 *
 * The address is the peer's, or behind a trusted proxy the one it forwards. An untrusted proxy on this machine would make every
 * client look like this machine. So a request that was forwarded by an untrusted peer is refused.
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
    // The same address before and after: there is no trusted proxy in between.
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
