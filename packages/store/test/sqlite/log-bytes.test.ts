/*
 * The log of the control database: short while all goes well, as long as it has to be under a reader that stays, and cut after it.
 */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import type { Engine } from '../../src/engine.ts';
import { logBytesKept } from '../../src/limits.ts';
import { onSqlite } from '../backends.ts';

const mebibyte = 1024 * 1024;

async function writeLarge(engine: Engine, bytes: number): Promise<void> {
  const text = 'x'.repeat(mebibyte);
  for (let written = 0; written < bytes; written += mebibyte) {
    await engine.write((db) => sql`INSERT OR REPLACE INTO large VALUES (1, ${text})`.execute(db));
  }
}

onSqlite(
  'the log stays short, and one that a reader made long is cut when that has gone',
  async (backend) => {
    const engine = await backend.openEngine();
    await engine.write((db) =>
      sql`CREATE TABLE large (id INTEGER PRIMARY KEY, text TEXT)`.execute(db),
    );
    const path = join(backend.directory, 'control.db');
    const logBytes = (): number => statSync(`${path}-wal`).size;
    await writeLarge(engine, 128 * mebibyte);
    assert.ok(logBytes() <= logBytesKept, `${logBytes()}`);
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM large');
    await writeLarge(engine, 64 * mebibyte);
    assert.ok(logBytes() > 60 * mebibyte, `${logBytes()}`);
    reader.close();
    await writeLarge(engine, 8 * mebibyte);
    assert.ok(logBytes() <= logBytesKept, `${logBytes()}`);
  },
);
