/*
 * Removes an agent in all its versions. Each is renamed to a draft first, so that one that is half removed is no installation; a
 * killed removal is finished by the next sweep.
 */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '@clawdfather/kit';
import { makeDraft, removeTree, sweepDrafts } from './drafts.ts';
import { findPlaces } from './find-installed.ts';

export interface Removal {
  readonly directory: string;
  readonly random: Random;
  /** Only these of its directories, such as those of older versions. */
  readonly only?: readonly string[];
}

/** The names of the directories that were removed. Running agents of a removed version may fail: the caller asks first. */
export async function removeInstalled(
  name: string,
  { directory, random, only }: Removal,
): Promise<readonly string[]> {
  const places = findPlaces(name, directory).filter((place) => only?.includes(place) ?? true);
  for (const place of places) {
    const draft = await makeDraft(directory, random);
    // Onto the empty directory, which a rename replaces.
    await rename(join(directory, place), draft);
    await removeTree(draft);
  }
  if (places.length > 0) await sweepDrafts(directory);
  return places;
}
