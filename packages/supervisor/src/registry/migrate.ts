/*
 * Migrations: numbered, immutable, forward-only.
 *
 * All missing ones run in one transaction under the write lock, so two
 * processes that start at once migrate once. A file from a newer version is
 * refused: guessing at unknown columns could lose epochs.
 */
import type { DatabaseSync } from 'node:sqlite';
import { SupervisorError } from '../errors.ts';
import { migration0001 } from './migrations/0001-runs.ts';
import { migration0002 } from './migrations/0002-approvals.ts';
import { migration0003 } from './migrations/0003-approval-bodies.ts';
import { migration0004 } from './migrations/0004-rules.ts';
import { migration0005 } from './migrations/0005-bindings.ts';

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  migration0001,
  migration0002,
  migration0003,
  migration0004,
  migration0005,
];

/** Must be called inside a transaction. */
export function migrate(db: DatabaseSync, list: readonly Migration[] = migrations): void {
  const current = versionOf(db);
  const newest = list.at(-1)?.version ?? 0;
  if (current > newest) {
    throw new SupervisorError('registry-newer', 'a newer version has written this registry', {
      detail: { found: current, supported: newest },
      hint: 'Update clawdfather, or point it at another state directory.',
    });
  }
  for (const { version, sql } of list) {
    if (version <= current) continue;
    db.exec(sql);
    db.exec(`PRAGMA user_version = ${version}`);
  }
}

function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}
