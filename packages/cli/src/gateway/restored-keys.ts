/*
 * The master keys that belong to a restored database: found beside the backup or where `--keys` says, looked at first, put in place
 * after it, and told about. A key that is here already is never replaced by another one.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CallOf } from '../command.ts';
import type { restoreSpec } from '../commands/gateway-specs.ts';
import { usageError } from '../errors.ts';
import { loadControlFile } from '../serve.ts';
import { masterKeysDirFrom } from './gateway-config.ts';

type Context = CallOf<typeof restoreSpec>;

export interface PlacedKeys {
  readonly names: readonly string[];
  /* Ids of keys that the database was used with and that are not here. */
  readonly missing: readonly string[];
}

/* The directory to take them from, if there is one. Throws what stands against it, before anything is changed. */
export async function planKeys(
  { config, flags }: Context,
  backupPath: string,
): Promise<string | undefined> {
  const beside = `${backupPath}.keys`;
  const named = flags.keys === undefined ? undefined : resolve(config.cwd, flags.keys);
  const from = named ?? (existsSync(beside) ? beside : undefined);
  if (from === undefined) return undefined;
  const { planMasterKeys, readMasterKeyIds } = await loadControlFile();
  if ((await readMasterKeyIds(from)).length === 0) {
    throw usageError(
      `there are no master keys in ${from}`,
      'Nothing was changed. clf backup --with-keys FILE makes the directory FILE.keys with 1.key in it.',
    );
  }
  await planMasterKeys({ from, to: masterKeysDirFrom(config) });
  return from;
}

export async function placeKeys(
  { config, random }: Context,
  from: string | undefined,
  needed: readonly string[],
): Promise<PlacedKeys> {
  const { placeMasterKeys, readMasterKeyIds } = await loadControlFile();
  const to = masterKeysDirFrom(config);
  const names = from === undefined ? [] : await placeMasterKeys({ from, to }, random);
  const present = await readMasterKeyIds(to);
  return { names, missing: needed.filter((id) => !present.includes(id)) };
}

export async function tellKeys(
  { io, config }: Pick<Context, 'io' | 'config'>,
  { names, missing }: PlacedKeys,
): Promise<void> {
  const to = masterKeysDirFrom(config);
  if (names.length > 0) {
    const keys = names.length === 1 ? 'The master key is' : `${names.length} master keys are`;
    await io.stdout.write(`${keys} in place: ${to}\n`);
  }
  if (missing.length === 0) return;
  const what = missing.length === 1 ? 'a master key' : `${missing.length} master keys`;
  await io.stderr.write(
    `clf: ${what} that this database was used with ${missing.length === 1 ? 'is' : 'are'} not in ${to}, and clf serve will refuse to start; with the FILE.keys of clf backup --with-keys: clf restore FILE --keys FILE.keys\n`,
  );
}
