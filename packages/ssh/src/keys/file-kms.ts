/*
 * The master keys of a directory, while the gateway runs and the directory changes.
 *
 * `clf key rotate-master` puts a new key beside the others (master-keys.ts) and speaks to no gateway. So each use looks at the names in
 * the directory, which costs next to nothing beside a login, and reads the keys again when there is a new one.
 *
 * FK1 A new key is noted (`note`) before it wraps anything: a start without it is refused from then on.
 * FK2 Nothing is wrapped by a key whose file is gone: what it wrapped could be opened by nothing after the next start.
 * FK3 What another gateway has wrapped by a newer key can be opened as soon as that key is in the directory.
 */
import { hasErrno, type Random } from '@clawdfather/kit';
import { numbersIn } from './key-files.ts';
import { createMasterKms, type Kms } from './kms.ts';
import { type MasterKeys, openMasterKeys } from './master-keys.ts';

export interface FileKmsDeps {
  readonly directory: string;
  readonly random: Random;
  /* Keys that wrapped what is to be opened; without them it does not open. */
  readonly knownIds: readonly string[];
  /* Keys that are used from now on, by their ids. */
  readonly note: (ids: readonly string[]) => Promise<void>;
}

interface Opened {
  readonly kms: Kms;
  readonly ids: readonly string[];
  readonly highest: number | undefined;
}

/* Throws what `openMasterKeys` throws. */
export async function openFileKms(deps: FileKmsDeps): Promise<Kms> {
  let opened = await open(deps, deps.knownIds);
  const look = async (): Promise<Opened> => {
    if ((await highestIn(deps.directory)) === opened.highest) return opened;
    opened = await open(deps, opened.ids);
    return opened;
  };
  return {
    currentId: async () => (await look()).kms.currentId(),
    wrap: async (key, use) => (await look()).kms.wrap(key, use),
    unwrap: async (wrapped, use) => {
      const { kms, ids } = opened;
      // What is in memory opens without the directory.
      return ids.includes(wrapped.masterId)
        ? kms.unwrap(wrapped, use)
        : (await look()).kms.unwrap(wrapped, use);
    },
  };
}

async function open(deps: FileKmsDeps, knownIds: readonly string[]): Promise<Opened> {
  const { directory, random, note } = deps;
  // Before the keys are read: a key that comes in between is found at the next look.
  const before = await highestIn(directory);
  const keys: MasterKeys = await openMasterKeys(directory, random, knownIds);
  const ids = keys.map(({ id }) => id);
  await note(ids);
  // The first start makes the first key.
  const highest = before ?? (await highestIn(directory));
  return { kms: createMasterKms(keys, random), ids, highest };
}

async function highestIn(directory: string): Promise<number | undefined> {
  try {
    return (await numbersIn(directory))[0];
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}
