/*
 * `gateways.json` in the config directory: the gateways that this user is signed in to, each with the token of this device.
 *
 * 0600, written under a temporary name and renamed. A file that others can read is refused: its tokens are theirs as well. So is
 * one that they can exchange: it says to whom tokens are sent.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasErrno } from '@clawdfather/kit';
import { findUnsafe, makeTrustedDir, shellWord, type Unsafe } from '@clawdfather/kit/files';
import { type CallerFacts, configDirectory } from '../config/settings.ts';
import { writeByRename } from '../io/write-by-rename.ts';
import { CliError } from '../errors.ts';
import { whyUnsafe } from '../gateway/read-secret.ts';

export interface StoredGateway {
  /* What `-g` may say instead of the address. */
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly account: string;
  readonly expiresAt: string;
  /* Of a gateway on this machine: it is found by its state directory, whatever its port is today. */
  readonly stateDir: string | null;
  /* Commands about runs mean this one unless they say otherwise. At most one has it. */
  readonly isDefault?: boolean;
}

export function gatewaysPath(caller: Pick<CallerFacts, 'env'>): string {
  return join(configDirectory(caller), 'gateways.json');
}

/* As versions before 0.2 called it. It is read while the other is not there, and stays. */
function earlierPath(caller: Pick<CallerFacts, 'env'>): string {
  return join(configDirectory(caller), 'hosts.json');
}

export function readGateways(caller: Pick<CallerFacts, 'env'>): StoredGateway[] {
  return readFrom(gatewaysPath(caller)) ?? readFrom(earlierPath(caller)) ?? [];
}

function readFrom(path: string): StoredGateway[] | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return undefined;
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
    return parseGateways(path, readFileSync(descriptor, 'utf8'));
  } finally {
    closeSync(descriptor);
  }
}

export function writeGateways(
  caller: Pick<CallerFacts, 'env'>,
  gateways: readonly StoredGateway[],
  pid: number,
): void {
  const path = gatewaysPath(caller);
  makeTrustedDir(dirname(path), notTrusted(path));
  writeByRename(path, `${JSON.stringify({ gateways }, undefined, 2)}\n`, pid);
}

function parseGateways(path: string, text: string): StoredGateway[] {
  const broken = (): CliError =>
    unreadable(path, 'it is not as clf writes it', `Remove it and sign in again: clf login`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw broken();
  }
  const { gateways, hosts } = (json ?? {}) as {
    readonly gateways?: unknown;
    readonly hosts?: unknown;
  };
  const list = gateways ?? hosts;
  if (!Array.isArray(list) || !list.every(isGateway)) throw broken();
  return list;
}

function isGateway(value: unknown): value is StoredGateway {
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
  return new CliError('gateways-unreadable', `${path} is not used: ${why}`, {
    detail: { path },
    ...(hint === undefined ? {} : { hint }),
  });
}
