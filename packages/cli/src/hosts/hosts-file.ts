/*
 * `hosts.json` in the config directory: the gateways that this user is signed in to, each with the token of this device.
 *
 * 0600, written under a temporary name and renamed. A file that others can read is refused: its tokens are theirs as well. So is
 * one that they can exchange: it says to whom tokens are sent.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { hasErrno } from '@clawdfather/kit';
import { findUnsafe, makeTrustedDir, shellWord, type Unsafe } from '@clawdfather/kit/files';
import { type CallerFacts, configDirectory } from '../config/settings.ts';
import { CliError } from '../errors.ts';
import { whyUnsafe } from '../gateway/read-secret.ts';

export interface StoredHost {
  /* What `--host` may say instead of the address. */
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly account: string;
  readonly expiresAt: string;
  /* Of a gateway on this machine: it is found by its state directory, whatever its port is today. */
  readonly stateDir: string | null;
}

export function hostsPath(caller: Pick<CallerFacts, 'env'>): string {
  return join(configDirectory(caller), 'hosts.json');
}

export function readHosts(caller: Pick<CallerFacts, 'env'>): StoredHost[] {
  const path = hostsPath(caller);
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return [];
    throw unreadable(path, String(error));
  }
  try {
    const problem = whyUnsafe(fstatSync(descriptor), false);
    if (problem !== undefined) {
      throw unreadable(
        path,
        problem,
        `Its tokens may be known; chmod 600 ${shellWord(path)}, and sign in anew.`,
      );
    }
    const unsafe = findUnsafe(path);
    if (unsafe !== undefined) throw notTrusted(path)(unsafe);
    return parseHosts(path, readFileSync(descriptor, 'utf8'));
  } finally {
    closeSync(descriptor);
  }
}

export function writeHosts(
  caller: Pick<CallerFacts, 'env'>,
  hosts: readonly StoredHost[],
  pid: number,
): void {
  const path = hostsPath(caller);
  makeTrustedDir(dirname(path), notTrusted(path));
  const draft = `${path}.${pid}`;
  writeFileSync(draft, `${JSON.stringify({ hosts }, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

function parseHosts(path: string, text: string): StoredHost[] {
  const broken = (): CliError =>
    unreadable(path, 'it is not as clf writes it', `Remove it and sign in again: clf login`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw broken();
  }
  const hosts: unknown = (json as { readonly hosts?: unknown } | null)?.hosts;
  if (!Array.isArray(hosts) || !hosts.every(isHost)) throw broken();
  return hosts;
}

function isHost(value: unknown): value is StoredHost {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  const names = ['name', 'url', 'token', 'account', 'expiresAt'] as const;
  return names.every((name) => typeof fields[name] === 'string') && 'stateDir' in fields;
}

/* It says where tokens are sent. */
function notTrusted(path: string): (unsafe: Unsafe) => CliError {
  return ({ path: where, why, cure }) => unreadable(path, `${where}: ${why}`, `Mend it: ${cure}`);
}

function unreadable(path: string, why: string, hint?: string): CliError {
  return new CliError('hosts-unreadable', `${path} is not used: ${why}`, {
    detail: { path },
    ...(hint === undefined ? {} : { hint }),
  });
}
