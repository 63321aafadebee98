/*
 * A device's storage in the memory of a test, as the app has it where a browser keeps its data.
 */
import { createFakeClock } from '@clawdfather/testkit';
import { createStorageOver, type DeviceStorage } from '../../src/storage/device-storage.ts';
import { createLastingTables } from '../../src/storage/lasting-tables.ts';
import { createMemoryTables } from '../../src/storage/memory-tables.ts';

export function createPageStorage(): DeviceStorage {
  const disk = createMemoryTables();
  const tables = createLastingTables({ open: async () => disk, keepsNothing: () => false });
  return createStorageOver(tables, createFakeClock());
}
