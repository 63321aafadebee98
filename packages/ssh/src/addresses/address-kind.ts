/*
 * What an address is: one word for it, from a table of ranges. The first range that has the address counts, so a single address
 * stands before the range that it lies in.
 *
 * What an address leads to is another question (leads-to.ts); here it is taken as it stands.
 */
import { hasPrefix, parseIpAddress } from './ip-address.ts';
import type { IpAddress } from './ip-address.ts';

export const addressKinds = [
  'loopback',
  /* A machine's description, often with secrets, that clouds serve to what runs on it. */
  'metadata',
  'link-local',
  'private',
  'public',
  'multicast',
  'broadcast',
  /* In no use, or of no use for a connection. */
  'reserved',
] as const;

export type AddressKind = (typeof addressKinds)[number];

type Range = readonly [prefix: string, bits: number, kind: AddressKind];

const ranges4: readonly Range[] = [
  // Instance and container metadata of the large clouds; 168.63.129.16 is Azure's and lies in a public range.
  ['169.254.169.254', 32, 'metadata'],
  ['169.254.169.253', 32, 'metadata'],
  ['169.254.170.2', 32, 'metadata'],
  ['169.254.170.23', 32, 'metadata'],
  ['169.254.42.42', 32, 'metadata'],
  ['100.100.100.200', 32, 'metadata'],
  ['192.0.0.192', 32, 'metadata'],
  ['168.63.129.16', 32, 'metadata'],
  ['255.255.255.255', 32, 'broadcast'],
  ['0.0.0.0', 8, 'reserved'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['10.0.0.0', 8, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.168.0.0', 16, 'private'],
  // Providers' own, and many private networks over the internet.
  ['100.64.0.0', 10, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  // For documents and measurements: used inside laboratories, routed nowhere.
  ['192.0.2.0', 24, 'private'],
  ['198.51.100.0', 24, 'private'],
  ['203.0.113.0', 24, 'private'],
  ['198.18.0.0', 15, 'private'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
  ['0.0.0.0', 0, 'public'],
];

const ranges6: readonly Range[] = [
  ['fd00:ec2::254', 128, 'metadata'],
  ['fd00:ec2::23', 128, 'metadata'],
  ['fd20:ce::254', 128, 'metadata'],
  ['fd00:42::42', 128, 'metadata'],
  ['fe80::a9fe:a9fe', 128, 'metadata'],
  ['::1', 128, 'loopback'],
  ['fe80::', 10, 'link-local'],
  // Out of use since 2004, and never routed beyond a site.
  ['fec0::', 10, 'private'],
  ['fc00::', 7, 'private'],
  ['ff00::', 8, 'multicast'],
  ['2001:db8::', 32, 'private'],
  ['3fff::', 20, 'private'],
  // NAT64: what it leads to is judged beside it.
  ['64:ff9b::', 96, 'public'],
  ['64:ff9b:1::', 48, 'private'],
  ['2000::', 3, 'public'],
  ['::', 0, 'reserved'],
];

const tables = { 4: ranges4.map(readRange), 6: ranges6.map(readRange) };

export function kindOf(address: IpAddress): AddressKind {
  const range = tables[address.family].find(({ prefix, bits }) =>
    hasPrefix(address.bytes, prefix, bits),
  );
  return range?.kind ?? 'reserved';
}

function readRange([text, bits, kind]: Range): {
  readonly prefix: readonly number[];
  readonly bits: number;
  readonly kind: AddressKind;
} {
  const address = parseIpAddress(text);
  if (address === undefined) throw new TypeError(`${text} is no address`);
  return { prefix: address.bytes, bits, kind };
}
