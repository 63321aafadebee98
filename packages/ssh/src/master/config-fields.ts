/*
 * The fields that go into ssh's configuration, each checked against a strict grammar, and their spelling there.
 *
 * They were parsed at the edge. They are checked again because a slip there would run commands here: a line end begins another
 * option, `$(…)` in a user reaches the shell of ProxyCommand, and ssh's own guards look at the command line only.
 *
 * Paths stand between double quotes, for ssh's reader of words and for the shell of ProxyCommand alike. What either of them reads
 * inside quotes (`"`, `\`, `$`, a backquote) has no common spelling and is refused, as are control characters. `%` is written
 * twice wherever ssh expands it.
 */
import { isId } from '@clawdfather/kit';
import { formatIpAddress, parseIpAddress } from '../addresses/ip-address.ts';
import { SshError } from '../errors.ts';

const userForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
/* Control characters, separators that some programs take for a line end, and what quotes do not quote. */
const unsafeInPath = /[\p{Cc}\p{Zl}\p{Zp}"\\$`]/u;
/* The kernel's. */
const pathBytesMax = 4_095;
/* ssh binds the socket as `<path>.` and 16 characters more, and a socket's path has at most 107 bytes. */
export const socketPathBytesMax = 90;

export function checkAddress(text: string): string {
  const address = parseIpAddress(text);
  if (address === undefined) throw refuse('address', 'is no numeric address');
  return formatIpAddress(address);
}

export function checkPort(port: number): number {
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw refuse('port', 'is no number from 1 to 65535');
  return port;
}

export function checkUser(user: string): string {
  if (!userForm.test(user)) throw refuse('user', 'is no user name');
  return user;
}

/* The name that the host has for ssh: in its records of keys, and in nothing else. */
export function formatAlias(connectionId: string): string {
  if (!isId(connectionId)) throw refuse('connectionId', 'is no id');
  return `clf-${connectionId}`;
}

export function checkPath(field: string, path: string): string {
  if (!path.startsWith('/')) throw refuse(field, 'is no absolute path');
  if (unsafeInPath.test(path) || !path.isWellFormed())
    throw refuse(field, 'has characters that cannot be written for ssh');
  if (Buffer.byteLength(path) > pathBytesMax) throw refuse(field, 'is too long');
  return path;
}

export function checkSocketPath(field: string, path: string): string {
  if (Buffer.byteLength(path) > socketPathBytesMax) throw refuse(field, 'is too long for a socket');
  return checkPath(field, path);
}

/* A whole number in bounds, as a setting. */
export function checkCount(field: string, count: number, max: number): number {
  if (!Number.isInteger(count) || count < 1 || count > max)
    throw refuse(field, `is no number from 1 to ${max}`);
  return count;
}

/* One word of a checked path. */
export function quoteWord(path: string): string {
  return `"${path}"`;
}

export function doublePercent(text: string): string {
  return text.replaceAll('%', '%%');
}

function refuse(field: string, what: string): SshError {
  return new SshError('config-field-invalid', `${field} ${what}`, { detail: { field } });
}
