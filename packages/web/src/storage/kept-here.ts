/*
 * What is kept on this device, counted and forgotten: for the screens that speak of it, which are loaded when somebody looks at them.
 */
import type { DeviceTables } from './device-tables.ts';
import { type Unsent, unsentOf } from './unsent.ts';

export interface StorageUsage {
  readonly snapshots: number;
  readonly snapshotBytes: number;
}

export async function usageOf(tables: DeviceTables): Promise<StorageUsage> {
  const sizes = await tables.sizes();
  return {
    snapshots: sizes.length,
    snapshotBytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/* What would be lost with what is kept here. */
export async function unsentIn(tables: DeviceTables): Promise<Unsent> {
  return unsentOf(await tables.all('outbox'), await tables.all('drafts'));
}

/* What was kept, but whose it is: the app goes on, and whoever is signed in writes on. */
export async function forgetKept(tables: DeviceTables): Promise<void> {
  const notes = await tables.all('notes');
  await tables.clear();
  for (const note of notes) await tables.put('notes', note);
}
