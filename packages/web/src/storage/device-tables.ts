/*
 * What the app keeps on the device, as tables of rows with a key. `open-idb.ts` keeps them in the browser's database, `memory-tables.ts` in
 * the page alone, and `lasting-tables.ts` is the one that the app uses: the first while it works, the second where it does not.
 */
import type { OutboxRow } from '@clawdfather/sdk';

export interface SnapshotRow {
  readonly key: string;
  readonly value: unknown;
  /* When the gateway said so. */
  readonly atMs: number;
  /* About; for the bound on all of them. */
  readonly bytes: number;
}

export interface DraftRow {
  readonly key: string;
  readonly text: string;
  readonly atMs: number;
}

/* One value each, such as whose content this is. */
export interface NoteRow {
  readonly key: string;
  readonly value: unknown;
}

export interface Rows {
  readonly snapshots: SnapshotRow;
  readonly drafts: DraftRow;
  readonly outbox: OutboxRow;
  readonly notes: NoteRow;
}

export type TableName = keyof Rows;

export const tableNames = [
  'snapshots',
  'drafts',
  'outbox',
  'notes',
] as const satisfies readonly TableName[];

export interface Change<Row, Result> {
  readonly put?: readonly Row[];
  readonly remove?: readonly string[];
  readonly result: Result;
}

export interface DeviceTables {
  read<Name extends TableName>(table: Name, key: string): Promise<Rows[Name] | undefined>;
  all<Name extends TableName>(table: Name): Promise<readonly Rows[Name][]>;
  put<Name extends TableName>(table: Name, row: Rows[Name]): Promise<void>;
  remove(table: TableName, keys: readonly string[]): Promise<void>;
  /* Reads and writes in one step, over all tabs. Durable when it resolves. */
  change<Name extends TableName, Result>(
    table: Name,
    work: (rows: readonly Rows[Name][]) => Change<Rows[Name], Result>,
  ): Promise<Result>;
  /* Keys of snapshots with their sizes, the oldest first; without their values. */
  sizes(): Promise<readonly Pick<SnapshotRow, 'key' | 'bytes'>[]>;
  /* Of every table. */
  clear(): Promise<void>;
}
