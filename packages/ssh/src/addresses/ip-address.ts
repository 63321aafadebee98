/*
 * An IP address as bytes. Everything that is decided about an address is decided on bytes: one address has many spellings.
 *
 * Only the usual spelling of IPv4 is read (four decimal numbers without leading zeros), and IPv6 without a zone: the program that
 * dials would have to know the zone, and `%` means something to ssh.
 */
import { SocketAddress, isIPv4, isIPv6 } from 'node:net';

export interface IpAddress {
  readonly family: 4 | 6;
  /* 4 or 16 of them. */
  readonly bytes: readonly number[];
}

const groupsOfIpv6 = 8;

/* Undefined for everything that is no address in its usual form. */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (isIPv4(text)) return ipv4(text.split('.').map(Number));
  if (!isIPv6(text) || text.includes('%')) return undefined;
  return ipv6(bytesOfIpv6(text));
}

export function ipv4(bytes: readonly number[]): IpAddress {
  return { family: 4, bytes };
}

export function ipv6(bytes: readonly number[]): IpAddress {
  return { family: 6, bytes };
}

/* As the system prints it: IPv6 in its shortest form. */
export function formatIpAddress({ family, bytes }: IpAddress): string {
  if (family === 4) return bytes.join('.');
  const groups = groupsOf(bytes).map((group) => group.toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

export function isSameAddress(one: IpAddress, other: IpAddress): boolean {
  return one.family === other.family && one.bytes.every((byte, at) => byte === other.bytes[at]);
}

/* True when the first `bits` bits of both are the same. */
export function hasPrefix(
  bytes: readonly number[],
  prefix: readonly number[],
  bits: number,
): boolean {
  const whole = Math.floor(bits / 8);
  for (let at = 0; at < whole; at += 1) if (bytes[at] !== prefix[at]) return false;
  const rest = bits % 8;
  if (rest === 0) return true;
  const mask = 0xff & (0xff << (8 - rest));
  return ((bytes[whole] ?? 0) & mask) === ((prefix[whole] ?? 0) & mask);
}

/* `text` is known to be an IPv6 address without a zone. */
function bytesOfIpv6(text: string): readonly number[] {
  const [head = '', tail] = withoutDots(text).split('::');
  const before = groupsIn(head);
  const after = tail === undefined ? [] : groupsIn(tail);
  const missing = groupsOfIpv6 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: missing }, () => 0), ...after];
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

/* The last four bytes may be written as IPv4: `::ffff:127.0.0.1`. */
function withoutDots(text: string): string {
  const start = text.lastIndexOf(':') + 1;
  const last = text.slice(start);
  if (!last.includes('.')) return text;
  const groups = groupsOf(last.split('.').map(Number)).map((group) => group.toString(16));
  return text.slice(0, start) + groups.join(':');
}

function groupsIn(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function groupsOf(bytes: readonly number[]): readonly number[] {
  return Array.from(
    { length: bytes.length / 2 },
    (_, at) => ((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0),
  );
}
