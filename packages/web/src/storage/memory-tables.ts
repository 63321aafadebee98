/*
 * The tables of a device that keeps nothing: in the page, and gone with it.
 */
import {
  type DeviceTables,
  type Rows,
  type SnapshotRow,
  type TableName,
  tableNames,
} from './device-tables.ts';

export interface MemoryTables extends DeviceTables {
  /* The rows themselves, by their keys: what is done to them is done at once. */
  rowsOf<Name extends TableName>(table: Name): Map<string, Rows[Name]>;
}

export function createMemoryTables(): MemoryTables {
  const tables = new Map(tableNames.map((name) => [name, new Map<string, unknown>()]));
  // Each map has the rows of its table, which its type cannot say.
  const rowsOf = <Name extends TableName>(name: Name): Map<string, Rows[Name]> =>
    tables.get(name) as Map<string, Rows[Name]>;
  return {
    rowsOf,
    read: async (table, key) => rowsOf(table).get(key),
    all: async (table) => [...rowsOf(table).values()],
    put: async (table, row) => void rowsOf(table).set(row.key, row),
    remove: async (table, keys) => {
      for (const key of keys) rowsOf(table).delete(key);
    },
    change: async (table, work) => {
      const rows = rowsOf(table);
      const { put = [], remove = [], result } = work([...rows.values()]);
      for (const row of put) rows.set(row.key, row);
      for (const key of remove) rows.delete(key);
      return result;
    },
    sizes: async () => oldestFirst([...rowsOf('snapshots').values()]),
    clear: async () => {
      for (const table of tables.values()) table.clear();
    },
  };
}

function oldestFirst(rows: readonly SnapshotRow[]): readonly SnapshotRow[] {
  return rows.toSorted((one, other) => one.atMs - other.atMs);
}
