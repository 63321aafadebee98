/*
 * `gateway-secrets.json` in the state directory: where the gateways of this directory have their secrets. A gateway gets these paths by
 * flags and variables too, which the next `clf run --shield` or `clf mcp` does not have; and a shield around a command hides them all.
 *
 * A gateway writes it before it listens. It says where secrets are and contains none.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errnoOf } from '@clawdfather/kit';
import type { Config } from '../config.ts';
import type { AgentSetting } from '../config/agent-kinds.ts';
import { absolutePath, type CallerFacts } from '../config/settings.ts';
import { writeByRename } from '../io/write-by-rename.ts';

/* Those of this gateway come first; a shield has room for about so many. */
const keptMax = 24;

export function secretPathsOf(config: Pick<Config, 'values' | 'env' | 'cwd'>): readonly string[] {
  const { values } = config;
  const database = values['gateway.database.path'];
  return [
    values['gateway.masterKeysDir'],
    values['gateway.artifactsDir'],
    database,
    // SQLite keeps what is new beside the file.
    ...(database === undefined ? [] : [`${database}-wal`, `${database}-shm`]),
    values['gateway.database.urlFile'],
    values['gateway.tls.key'],
    values['gateway.github.clientSecretFile'],
    values['notify.webhook.secretFile'],
    values['notify.ntfy.tokenFile'],
    ...values.agents.flatMap(({ env = {} }) => keyFilesOf(env, config)),
  ]
    .filter((path) => path !== undefined)
    .map((path) => resolve(path));
}

/* Keys of agents: one has its own as a variable, and no other's. */
function keyFilesOf(env: NonNullable<AgentSetting['env']>, caller: CallerFacts): readonly string[] {
  return Object.values(env).flatMap((value) =>
    typeof value === 'string' ? [] : [absolutePath(value.file, caller)],
  );
}

/* What earlier gateways have named stays, as long as it is there. Throws what the disk says. */
export function writeSecretPaths(
  config: Pick<Config, 'values' | 'env' | 'cwd' | 'stateDir' | 'pid'>,
): void {
  const { stateDir, pid } = config;
  const own = secretPathsOf(config);
  const before = earlier(stateDir);
  const paths = [...new Set([...own, ...before.filter(isThere)])].slice(0, keptMax);
  if (paths.length === 0 && before.length === 0) return;
  writeByRename(pathOf(stateDir), `${JSON.stringify({ paths }, undefined, 2)}\n`, pid);
}

/* Throws if the file is there and cannot be read: what it names could not be hidden. */
export function readSecretPaths(stateDir: string): readonly string[] {
  const text = readText(stateDir);
  if (text === undefined) return [];
  const paths = parsePaths(text);
  if (paths !== undefined) return paths;
  throw new Error(`${pathOf(stateDir)} is not as clf writes it; the next clf serve writes it anew`);
}

function pathOf(stateDir: string): string {
  return join(stateDir, 'gateway-secrets.json');
}

function readText(stateDir: string): string | undefined {
  try {
    return readFileSync(pathOf(stateDir), 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parsePaths(text: string): readonly string[] | undefined {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== 'object' || json === null || !('paths' in json)) return undefined;
    const { paths } = json;
    const isList = Array.isArray(paths) && paths.every((path) => typeof path === 'string');
    return isList ? paths.filter((path) => path.startsWith('/')) : undefined;
  } catch {
    // No JSON: the caller says so.
    return undefined;
  }
}

/* A file that cannot be read is replaced. */
function earlier(stateDir: string): readonly string[] {
  try {
    return readSecretPaths(stateDir);
  } catch {
    return [];
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Not for us to see now; it may be later.
    return true;
  }
}
