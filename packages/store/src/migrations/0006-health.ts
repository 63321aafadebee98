/*
 * Version 6: the row that is written and read to find out whether the database works. Immutable once released.
 *
 * One row for all gateways: it counts, so whoever has written it knows what a reader must at least see.
 */
import type { Migration } from './migration.ts';

export const migration0006: Migration = {
  version: 6,
  name: 'health',
  statements: ({ integer, tableEnd }) => [
    `CREATE TABLE health_beats (
      id ${integer} NOT NULL PRIMARY KEY,
      beats ${integer} NOT NULL,
      at_ms ${integer} NOT NULL
    ${tableEnd}`,
  ],
};
