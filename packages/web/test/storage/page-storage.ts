/*
 * A device's storage in the memory of a test, as the app has it where a browser keeps its data.
 */
import { createFakeClock } from '@clawdfather/testkit';
import { createStorageOver, type DeviceStorage } from '../../src/storage/device-storage.ts';
import { createLastingTables } from '../../src/storage/lasting-tables.ts';
import { createMemoryTables } from '../../src/storage/memory-tables.ts';
import { openWipeMark } from '../../src/storage/wipe-mark.ts';

/* What a page writes there. */
export function createLocalStorage(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

export function createPageStorage(): DeviceStorage {
  const disk = createMemoryTables();
  const clock = createFakeClock();
  const tables = createLastingTables({
    clock,
    open: async () => disk,
    keepsNothing: () => false,
    wipeMark: openWipeMark({ localStorage: createLocalStorage() }),
  });
  return createStorageOver(tables, clock);
}
