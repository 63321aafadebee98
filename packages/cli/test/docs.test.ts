/*
 * docs/cli.md keeps what it promises: every command, every exit code. JSON is in json/shapes.test.ts.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { commands } from '../src/commands/table.ts';
import * as exitStatus from '../src/exit-status.ts';

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

test('every command has its row', () => {
  for (const { spec } of commands) assert.match(page, new RegExp(`\`${spec.name}\\b`), spec.name);
});

test('every exit code of ours is in the table', () => {
  for (const [name, code] of Object.entries(exitStatus)) {
    if (typeof code === 'number') assert.match(page, new RegExp(`^\\| ${code} `, 'm'), name);
  }
});
