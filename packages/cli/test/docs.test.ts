/*
 * docs/cli.md keeps what it promises: every command, every exit code, every JSON field.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { commands } from '../src/commands/table.ts';
import * as exitStatus from '../src/exit-status.ts';
import { exitJson, runJson } from '../src/render/run-json.ts';
import { eventJson } from '../src/runs/output-writer.ts';
import { outputEvent } from './support/fake-run.ts';
import { exitWith, recordWith } from './support/records.ts';

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

test('every command has its row', () => {
  for (const { spec } of commands) assert.match(page, new RegExp(`\`${spec.name}\\b`), spec.name);
});

test('every exit code of ours is in the table', () => {
  for (const [name, code] of Object.entries(exitStatus)) {
    if (typeof code === 'number') assert.match(page, new RegExp(`^\\| ${code} `, 'm'), name);
  }
});

test('every field of the JSON is named', () => {
  const usage = { userUs: 1, systemUs: 1, maxRssBytes: 1, readBytes: 1, writeBytes: 1 };
  const left = [{ pid: 1, startTicks: 1, comm: 'x' }];
  const exit = exitWith({ usage, leftovers: left, survivors: left });
  const values = [runJson(recordWith({ exit })), exitJson(exit), eventJson(outputEvent('x'))];
  for (const name of values.flatMap(fieldsOf)) {
    assert.ok(page.includes(`\`${name}\``) || page.includes(`"${name}"`), name);
  }
});

function fieldsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fieldsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => [name, ...fieldsOf(field)]);
}
