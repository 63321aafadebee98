/*
 * The bound on the copies of one account (HO2 in hand-over.ts), and which of them have to stay.
 *
 * Agents without a whole shield can write where the copies are, and put anything there: what cannot be looked at or removed keeps nothing else
 * from being removed, no link is followed, also where one takes the place of a directory meanwhile (kit's held-dir.ts), and no directory is
 * read to an end that an agent chose.
 */
import { type FileHandle, lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasErrno } from '@clawdfather/kit';
import { below, enterDirectory, namesIn, removeBelow } from '@clawdfather/kit/files';
import type { AccountId, Store } from '@clawdfather/store';
import type { CopiesPlace } from './copies.ts';

export interface Removing {
  readonly place: CopiesPlace;
  readonly nowMs: number;
  /* The directories that stay, however old they are. */
  readonly askNeeded: () => Promise<ReadonlySet<string>>;
  /* Nothing more is removed when it aborts. */
  readonly signal: AbortSignal;
}

/* A conversation that goes on after that has what the agent made of it. */
const keptMs = 30 * 24 * 60 * 60_000;
/*
 * Of one account: two times what may be on its way, so that a full day's files still wait for their agents when the next day's come. The
 * oldest go rather than that a prompt is refused, because a person could not remove them, and their agent has most likely read them.
 */
const copiesMax = 1_000;
const bytesMax = 1024 * 1024 * 1024;
/* Of ours there is hardly one more than `copiesMax`. What an agent put there beside them goes with the next times. */
const entriesMax = 2_000;
/* We put one file into each. What an agent unpacks beside it counts, as far as it is looked at. */
const filesInOneMax = 100;

interface Found {
  /* Bytes, as an agent may have chosen it. */
  readonly name: Buffer;
  readonly atMs: number;
  readonly bytes: number;
}

/* Why some of them could not be looked at or removed. */
export async function removeOldest(removing: Removing): Promise<readonly unknown[]> {
  const { place, nowMs, askNeeded, signal } = removing;
  const failures: unknown[] = [];
  const found = await findCopies(place.directory, failures);
  const tooMuch = tooMuchOf(found, nowMs);
  // Asked only where something would go, which is rare.
  const needed = tooMuch.length === 0 ? undefined : await askNeeded();
  for (const { name } of tooMuch) {
    if (signal.aborted) break;
    if (needed?.has(join(place.path, name.toString())) === true) continue;
    await removeBelow(place.directory, name, signal).catch((error) => failures.push(error));
  }
  return failures;
}

async function findCopies(directory: FileHandle, failures: unknown[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const name of await entriesOf(directory, entriesMax)) {
    const entry = await lstat(below(directory, name)).catch(() => undefined);
    if (entry === undefined) continue;
    // A link would lead to a place that an agent chose, such as a mount that does not answer.
    const bytes = entry.isDirectory() ? await bytesIn(directory, name, failures) : entry.size;
    found.push({ name, atMs: entry.mtimeMs, bytes });
  }
  return found;
}

function tooMuchOf(found: readonly Found[], nowMs: number): readonly Found[] {
  const tooMuch: Found[] = [];
  let [copies, bytes] = [0, 0];
  for (const copy of found.toSorted((one, other) => other.atMs - one.atMs)) {
    copies += 1;
    bytes += copy.bytes;
    if (nowMs - copy.atMs <= keptMs && copies <= copiesMax && bytes <= bytesMax) continue;
    tooMuch.push(copy);
  }
  return tooMuch;
}

async function bytesIn(above: FileHandle, name: Buffer, failures: unknown[]): Promise<number> {
  let bytes = 0;
  try {
    await using directory = await enterDirectory(above, name);
    for (const file of await entriesOf(directory, filesInOneMax)) {
      bytes += (await lstat(below(directory, file))).size;
    }
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) failures.push(error);
  }
  return bytes;
}

async function entriesOf(directory: FileHandle, max: number): Promise<readonly Buffer[]> {
  const entries: Buffer[] = [];
  for await (const name of namesIn(directory)) {
    entries.push(name);
    if (entries.length === max) break;
  }
  return entries;
}

/* The directories of copies that prompts link to whose turn has not ended. */
export async function homesNeeded(
  store: Pick<Store, 'forAccount'>,
  accountId: AccountId,
): Promise<ReadonlySet<string>> {
  const prompts = await store.forAccount(accountId).threads.openPrompts();
  return new Set(prompts.flat().flatMap(({ uri }) => homeOf(uri)));
}

function homeOf(uri: unknown): readonly string[] {
  if (typeof uri !== 'string' || !uri.startsWith('file:///')) return [];
  try {
    return [dirname(fileURLToPath(uri))];
  } catch {
    // Whoever writes a prompt writes its links, too. One that names no file, such as file:///a%2Fb, needs no copy.
    return [];
  }
}
