/*
 * The app stays within its budget of bytes and requests; and the tool that says so notices when it does not.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type BudgetRow, isWithin, measureBuild } from '../build/measure-build.ts';

const budget = fileURLToPath(new URL('../build/budget.ts', import.meta.url));

test('the built app is within its budget', () => {
  const rows = JSON.parse(
    execFileSync(process.execPath, [budget, '--json'], { encoding: 'utf8' }),
  ) as readonly BudgetRow[];
  assert.ok(rows.some(({ what, is }) => what === 'first load: script' && is > 10));
  assert.ok(rows.some(({ what, is }) => what === 'later: thread' && is > 1));
});

const manifest = {
  'index.html': {
    file: 'app/index.js',
    isEntry: true,
    imports: ['_shared.js'],
    dynamicImports: ['src/screens/thread.tsx'],
  },
  '_shared.js': { file: 'app/shared.js' },
  'src/screens/thread.tsx': { file: 'app/thread.js', imports: ['_shared.js', '_text.js'] },
  '_text.js': { file: 'app/text.js' },
};
const page =
  '<script src="/app/index.js"></script><link href="/app/style.css"><link href="/icon.svg">';
const rowsOf = (bytes: Readonly<Record<string, number>>): readonly BudgetRow[] =>
  measureBuild({ manifest, page, bytesOf: (path) => bytes[path] ?? 1_000 });

test('what a script imports at once belongs to the first load; what a later part shares with it does not count twice', () => {
  const found = Object.fromEntries(rowsOf({}).map(({ what, is }) => [what, is]));
  assert.deepEqual(found, {
    'first load: script': 2,
    'first load: style': 1,
    'first load: all': 5,
    'first load: files': 5,
    'later: thread': 2,
  });
});

test('each bound is noticed when it is passed', () => {
  for (const [path, bytes, broken] of [
    ['/app/shared.js', 60_001, ['first load: script']],
    ['/app/style.css', 12_001, ['first load: style']],
    ['/icon.svg', 90_000, ['first load: all']],
    ['/app/text.js', 34_001, ['later: thread']],
  ] as const) {
    const over = rowsOf({ [path]: bytes }).filter((row) => !isWithin(row));
    assert.deepEqual(
      over.map(({ what }) => what),
      broken,
      path,
    );
  }
});
