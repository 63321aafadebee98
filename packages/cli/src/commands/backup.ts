/*
 * `clf backup FILE`: a consistent copy of the control database while everything goes on, with a gateway or without.
 *
 * In it: accounts, sign-ins and tokens (their hashes), connections, SSH keys (encrypted), sessions, threads, settings and the
 * audit log. Not in it: runs and their output, which belong to this host; the config file; and, unless `--with-keys`, the master
 * keys, without which the SSH keys cannot be opened. Kept apart, a stolen copy is worth little.
 */
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { openPrivateDir } from '@clawdfather/kit/files';
import type { CallOf, CommandContext } from '../command.ts';
import { CliError, usageError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { databaseFrom, masterKeysDirFrom } from '../gateway/gateway-config.ts';
import { formatBytes } from '../render/bytes.ts';
import { jsonLine } from '../render/run-json.ts';
import { loadControlFile } from '../serve.ts';
import { findPlace } from '../sign-in/find-gateway.ts';
import type { backupSpec } from './gateway-specs.ts';

export async function execute(context: CallOf<typeof backupSpec>): Promise<ExitStatus> {
  const { flags, config, io } = context;
  const path = resolve(config.cwd, context.operands.file);
  const source = controlPath(context);
  const elsewhere = defaultElsewhere(context);
  if (!existsSync(source)) {
    throw new CliError('gateway-not-running', `there is no control database at ${source}`, {
      hint: elsewhere === undefined ? 'The first `clf serve` makes it.' : aboutHere(elsewhere),
      detail: { path: source },
    });
  }
  const keysDir = masterKeysDirFrom(config);
  const keysPath = flags.withKeys ? `${path}.keys` : undefined;
  if (!flags.force) for (const one of [path, keysPath]) refuseExisting(one);
  const { backUp, openToRead } = await loadControlFile();
  await backUp(source, path, openToRead);
  if (keysPath !== undefined) copyKeys(keysDir, keysPath);
  const { size: bytes } = statSync(path);
  const keys = keysPath === undefined ? '' : `\n${keysPath}: the master keys; keep them elsewhere`;
  await io.stdout.write(
    context.isJson
      ? jsonLine({ path, bytes, keysPath: keysPath ?? null })
      : `${path}: ${formatBytes(bytes)}, checked${keys}\n`,
  );
  if (elsewhere !== undefined) await io.stderr.write(`clf: ${aboutHere(elsewhere)}\n`);
  return codeStatus(exitOk);
}

/* The gateway of another machine that commands about runs mean, by name. */
function defaultElsewhere(context: CommandContext): string | undefined {
  try {
    const target = findPlace(context);
    return target === undefined || target.isLocal ? undefined : target.name;
  } catch {
    // A backup does not need to know.
    return undefined;
  }
}

function aboutHere(name: string): string {
  return `This is about the gateway of this machine. For that of ${name}, run clf backup on its machine.`;
}

export function controlPath({ config }: Pick<CommandContext, 'config'>): string {
  const database = databaseFrom(config);
  if (database.kind === 'sqlite') return database.path;
  throw usageError('a PostgreSQL database is backed up and restored with its own tools', 'pg_dump');
}

function refuseExisting(path: string | undefined): void {
  if (path === undefined || !existsSync(path)) return;
  throw new CliError('file-exists', `${path} exists already`, {
    hint: 'Choose another name, or replace it with --force.',
    detail: { path },
  });
}

/* Files keep their modes; a directory of keys without any is no backup of them. */
function copyKeys(from: string, to: string): void {
  if (!existsSync(from) || readdirSync(from).length === 0) {
    throw usageError(`there are no master keys in ${from}`);
  }
  openPrivateDir(to, ({ path, why, cure }) =>
    usageError(`master keys cannot be kept there: ${path}: ${why}`, `Mend it: ${cure}`),
  );
  cpSync(from, to, { recursive: true, force: true, preserveTimestamps: true });
}
