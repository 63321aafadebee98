/*
 * What a migration is: numbered SQL for both databases, from one text.
 *
 * Only three words differ: the integer, the end of a table, and nothing else. Released migrations never change; their hash is
 * stored with the database that ran them and held by a test.
 */
import { createHash } from 'node:crypto';

export type DialectName = 'sqlite' | 'postgres';

export interface ColumnTypes {
  /** 64 bits. SQLite's own word for it, PostgreSQL's bigint. */
  readonly integer: string;
  /** SQLite checks column types only in STRICT tables. */
  readonly tableEnd: string;
  /** For tables that are only ever reached by their key. */
  readonly keyedTableEnd: string;
}

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: (types: ColumnTypes) => readonly string[];
}

const types: Readonly<Record<DialectName, ColumnTypes>> = {
  sqlite: {
    integer: 'INTEGER',
    tableEnd: ') STRICT',
    keyedTableEnd: ') STRICT, WITHOUT ROWID',
  },
  postgres: { integer: 'BIGINT', tableEnd: ')', keyedTableEnd: ')' },
};

export function statementsFor(dialect: DialectName, migration: Migration): readonly string[] {
  return migration.statements(types[dialect]);
}

/** The same for both databases, so that one list of hashes serves both. */
export function hashOf(migration: Migration): string {
  const texts = (['sqlite', 'postgres'] as const).flatMap((name) => statementsFor(name, migration));
  return createHash('sha256')
    .update([migration.version, migration.name, ...texts].join('\0'))
    .digest('hex');
}
