/*
 * What SQLite refuses, in words that say what to look at.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registryErrorOf } from '../../src/registry/registry-errors.ts';
import { SupervisorError } from '../../src/errors.ts';

const sqlite = (errcode: number): Error => Object.assign(new Error('sqlite says no'), { errcode });

test('a registry that cannot be opened or written says where to look', () => {
  /* SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_READONLY_DIRECTORY */
  for (const code of [8, 14, 1_544]) {
    const error = registryErrorOf(sqlite(code));
    assert.ok(error instanceof SupervisorError);
    assert.equal(error.code, 'registry-failed');
    assert.match(error.message, /cannot be opened for writing/);
    assert.match(error.hint ?? '', /read-only.*ulimit -n/);
  }
});
