/*
 * `gateway.json` in the state directory: which gateway runs there, and where it listens.
 *
 * Written after listening, 0600, under a temporary name first. It is never believed by itself: a gateway that was killed leaves
 * it behind, and its pid may be somebody else's by now. So it names the process as exactly as a run's record does (O5): boot,
 * pid namespace, pid, start time.
 */
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findUnsafe } from '@clawdfather/kit/files';
import { writeByRename } from '../io/write-by-rename.ts';
import { isProcessAlive } from '@clawdfather/supervisor/alive';

export interface GatewayRecord {
  readonly url: string;
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly version: string;
  readonly startedAtMs: number;
  readonly database: 'sqlite' | 'postgres';
  readonly publicUrl: string | null;
  /* SHA-256 of its certificate; null without TLS. */
  readonly certificate: string | null;
}

/* `elsewhere`: of another container or another boot that we cannot look into; it may run, and is left alone. */
export type FoundGateway =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly record: GatewayRecord }
  | { readonly kind: 'stale'; readonly record: GatewayRecord }
  | { readonly kind: 'elsewhere'; readonly record: GatewayRecord };

interface ProcessIdentity {
  readonly bootId: string;
  readonly pidNamespace: string;
}

export function gatewayFilePath(stateDir: string): string {
  return join(stateDir, 'gateway.json');
}

export function readIdentity(): ProcessIdentity {
  return {
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    pidNamespace: readlinkSync('/proc/self/ns/pid'),
  };
}

export function writeGatewayFile(stateDir: string, record: GatewayRecord): void {
  const text = `${JSON.stringify(record, undefined, 2)}\n`;
  writeByRename(gatewayFilePath(stateDir), text, record.pid);
}

/* Only our own: whoever came after us has written theirs. */
export function removeGatewayFile(stateDir: string, { pid, startTicks }: GatewayRecord): void {
  const there = parseRecord(readText(gatewayFilePath(stateDir)));
  if (there?.pid !== pid || there.startTicks !== startTicks) return;
  rmSync(gatewayFilePath(stateDir), { force: true });
}

export function findGateway(stateDir: string): FoundGateway {
  const identity = readIdentity();
  const record = parseRecord(readText(gatewayFilePath(stateDir)));
  if (record === undefined) return { kind: 'none' };
  if (record.bootId !== identity.bootId) return { kind: 'stale', record };
  if (record.pidNamespace !== identity.pidNamespace) return { kind: 'elsewhere', record };
  return { kind: isProcessAlive(record) ? 'running' : 'stale', record };
}

function readText(path: string): string | undefined {
  try {
    // It says where tokens are sent: from where others can write, nothing is believed.
    if (findUnsafe(path) !== undefined) return undefined;
    return readFileSync(path, 'utf8');
  } catch {
    // Not there, or not for us: nobody is known to run.
    return undefined;
  }
}

/* What is not as we write it is as good as no file. */
function parseRecord(text: string | undefined): GatewayRecord | undefined {
  if (text === undefined) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

const texts = ['url', 'bootId', 'pidNamespace', 'version', 'database'] as const;
const numbers = ['pid', 'startTicks', 'startedAtMs'] as const;

function isRecord(json: unknown): json is GatewayRecord {
  if (typeof json !== 'object' || json === null) return false;
  const fields = json as Readonly<Record<string, unknown>>;
  const isWhole =
    texts.every((name) => typeof fields[name] === 'string') &&
    numbers.every((name) => Number.isSafeInteger(fields[name]));
  return isWhole && URL.canParse(String(fields['url']));
}
