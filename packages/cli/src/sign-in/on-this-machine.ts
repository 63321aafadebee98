/*
 * Whether an address leads to this very machine, where a command of ours may listen.
 *
 * A name is looked up only for http: with https, a certificate that the system trusts has shown whose name it is.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Place } from './open-connection.ts';

export async function isOnThisMachine({ protocol, hostname }: Place): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  if (isIP(host) > 0) return isOwnAddress(host);
  if (protocol !== 'http:') return false;
  // What cannot be looked up cannot be reached either, and whoever tries says so.
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.some(({ address }) => isOwnAddress(address));
}

function isOwnAddress(address: string): boolean {
  const own = new BlockList();
  own.addSubnet('127.0.0.0', 8, 'ipv4');
  own.addAddress('0.0.0.0', 'ipv4');
  own.addAddress('::1', 'ipv6');
  own.addAddress('::', 'ipv6');
  for (const { address: ownAddress, family } of Object.values(networkInterfaces()).flatMap(
    (list) => list ?? [],
  )) {
    own.addAddress(ownAddress, family === 'IPv4' ? 'ipv4' : 'ipv6');
  }
  return own.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
