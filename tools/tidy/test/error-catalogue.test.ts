/*
 * The error catalogue: both ways, and the shape of the list.
 */
import { test } from 'node:test';
import { catalogPath, checkErrorCatalogue } from '../rules/error-catalogue.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

const manifest = { 'packages/shim/package.json': '{}' };
const row = (code: string): string => `| \`${code}\` | what | do |`;

function files(list: string, document: string): Record<string, string> {
  return { ...manifest, 'packages/shim/src/errors.ts': list, [catalogPath]: document };
}

test('the repository documents its error codes', () => {
  assertObeyed(checkErrorCatalogue);
});

test('a list that agrees with its section is accepted', () => {
  assertAccepted(
    checkErrorCatalogue,
    files(
      `export const shimErrorCodes = [\n  'a-b', // why\n  'c',\n] as const;`,
      `# Errors\n\n## shim\n\n${row('a-b')}\n${row('c')}\n\n## How to read this\n\nProse.\n`,
    ),
  );
});

test('a code without a row and a row without a code are refused', () => {
  assertRefused(
    checkErrorCatalogue,
    files(`export const shimErrorCodes = ['new'] as const;`, `## shim\n\n${row('old')}\n`),
    [/new is not in section shim/, /shim has no code old/],
  );
});

test('a row in the section of another package does not count', () => {
  assertRefused(
    checkErrorCatalogue,
    files(`export const shimErrorCodes = ['a'] as const;`, `## cli\n\n${row('a')}\n`),
    [/a is not in section shim/, /section cli has no src\/errors\.ts/],
  );
});

test('an errors file without its list is refused', () => {
  assertRefused(checkErrorCatalogue, files(`export const codes = ['a'] as const;`, ''), [
    /exports no `shimErrorCodes/,
  ]);
});

test('a code that is listed twice or not kebab-case is refused', () => {
  assertRefused(
    checkErrorCatalogue,
    files(
      `export const shimErrorCodes = ['a', 'a', 'B_c'] as const;`,
      `## shim\n\n${row('a')}\n${row('B_c')}\n`,
    ),
    [/lists a twice/, /B_c is not kebab-case/],
  );
});
