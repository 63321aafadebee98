/*
 * A benchmark in its smallest size, and what it wrote down.
 */
import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface WrittenReport {
  readonly machine: Readonly<Record<string, unknown>>;
  readonly results: readonly {
    readonly name: string;
    readonly rows: readonly {
      readonly measure: string;
      readonly cells: Readonly<Record<string, { readonly median: number }>>;
    }[];
  }[];
}

/* `main`: its program, from here. */
export function runQuick(
  main: string,
  dir: string,
  args: readonly string[],
): SpawnSyncReturns<string> {
  const path = fileURLToPath(new URL(main, import.meta.url));
  return spawnSync(
    process.execPath,
    ['--conditions=@clawdfather/source', path, '--quick', '--dir', dir, ...args],
    { encoding: 'utf8' },
  );
}

/* Every cell of every row has a number. */
export function readReport(jsonFile: string): WrittenReport {
  const report = JSON.parse(readFileSync(jsonFile, 'utf8')) as WrittenReport;
  for (const { name, rows } of report.results) {
    assert.ok(rows.length > 0, name);
    for (const { measure, cells } of rows) {
      for (const [contender, { median }] of Object.entries(cells)) {
        assert.ok(Number.isFinite(median), `${name}, ${measure}, ${contender}: ${median}`);
      }
    }
  }
  return report;
}
