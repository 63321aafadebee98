/*
 * Dependency reasons: a package without a row and a row without a package are both found.
 */
import { test } from 'node:test';
import { checkDependencyReasons, reasonsPath } from '../rules/dependency-reasons.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

const reason = 'because nothing else does it';

test('every dependency of the repository has its reason', () => {
  assertObeyed(checkDependencyReasons);
});

test('a package with its reason is accepted', () => {
  assertAccepted(checkDependencyReasons, {
    'package.json': '{"devDependencies":{"a":"1.2.3"}}',
    'packages/kit/package.json': '{"dependencies":{"@clawdfather/shim":"0.1.0"}}',
    [reasonsPath]: `## Tools\n\n| \`a\` | root | ${reason} |\n`,
  });
});

test('an unexplained package is refused', () => {
  assertRefused(
    checkDependencyReasons,
    { 'packages/kit/package.json': '{"optionalDependencies":{"p":"1.0.0"}}' },
    [/says nothing about p/],
  );
});

test('a leftover row, a row without a reason and a range are refused', () => {
  assertRefused(
    checkDependencyReasons,
    {
      'package.json': '{"dependencies":{"a":"^1.0.0"}}',
      [reasonsPath]: `## Tools\n\n| \`a\` | root | useful |\n| \`gone\` | root | ${reason} |\n`,
    },
    [/gone is not used any more/, /a has no reason/, /a is not exact/],
  );
});
