/*
 * Where a packet to an address arrives. Some addresses carry another one inside: a translator, a tunnel or the kernel itself takes
 * it out and goes there. And the unspecified address leads to this machine.
 *
 * The answer is every place that the address may lead to, the address itself included unless the kernel never uses it as such.
 * Whether a translator or tunnel exists is not known here, so both are in the answer.
 */
import { hasPrefix, ipv4, ipv6 } from './ip-address.ts';
import type { IpAddress } from './ip-address.ts';

const loopbacks: readonly IpAddress[] = [
  ipv4([127, 0, 0, 1]),
  ipv6([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
];

interface Carrier {
  readonly prefix: readonly number[];
  readonly bits: number;
  /* Of the bytes that are the IPv4 address inside; several where the layout is not known. */
  readonly inside: readonly (readonly [number, number, number, number])[];
  /* Teredo stores the client with every bit turned over. */
  readonly isInverted?: boolean;
}

const last: readonly [number, number, number, number] = [12, 13, 14, 15];

const carriers: readonly Carrier[] = [
  // 64:ff9b::/96, NAT64.
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], bits: 96, inside: [last] },
  // 64:ff9b:1::/48, NAT64 of a site, which chooses one of these layouts (RFC 6052). Byte 8 is always zero.
  {
    prefix: [0, 0x64, 0xff, 0x9b, 0, 1],
    bits: 48,
    inside: [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], last],
  },
  // ::ffff:0:0:0/96, translated.
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], bits: 96, inside: [last] },
  // 2002::/16, 6to4.
  { prefix: [0x20, 0x02], bits: 16, inside: [[2, 3, 4, 5]] },
  // 2001::/32, Teredo: the server, and the client.
  { prefix: [0x20, 0x01, 0, 0], bits: 32, inside: [[4, 5, 6, 7]] },
  { prefix: [0x20, 0x01, 0, 0], bits: 32, inside: [last], isInverted: true },
];

const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
const compatible = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

export function leadsTo(address: IpAddress): readonly IpAddress[] {
  if (address.bytes.every((byte) => byte === 0)) return loopbacks;
  if (address.family === 4) return [address];
  const { bytes } = address;
  // The kernel speaks IPv4 to it: there is no IPv6 packet.
  if (hasPrefix(bytes, mapped, 96)) return leadsTo(take(bytes, last));
  const carried = carriers
    .filter(({ prefix, bits }) => hasPrefix(bytes, prefix, bits))
    .flatMap(({ inside, isInverted = false }) => inside.map((at) => take(bytes, at, isInverted)));
  // ::a.b.c.d, out of use since 2006. ::1 is loopback, and its inside is not an address of its own.
  if (hasPrefix(bytes, compatible, 96) && !isLoopback6(bytes)) carried.push(take(bytes, last));
  // ISATAP: an interface id of 0:5efe or 200:5efe, then the IPv4 address.
  if (isIsatap(bytes)) carried.push(take(bytes, last));
  return [address, ...carried.flatMap(leadsTo)];
}

function take(
  bytes: readonly number[],
  at: readonly [number, number, number, number],
  isInverted = false,
): IpAddress {
  return ipv4(at.map((index) => (bytes[index] ?? 0) ^ (isInverted ? 0xff : 0)));
}

function isLoopback6(bytes: readonly number[]): boolean {
  return bytes.every((byte, at) => byte === (at === 15 ? 1 : 0));
}

function isIsatap(bytes: readonly number[]): boolean {
  return (bytes[8] === 0 || bytes[8] === 2) && hasPrefix(bytes.slice(9), [0, 0x5e, 0xfe], 24);
}
