/*
 * Lifecycles: every exported transition is drawn, and every drawing is of one.
 */
import { test } from 'node:test';
import { checkLifecycles, lifecyclesPath } from '../rules/lifecycles.ts';
import { assertAccepted, assertObeyed, assertRefused } from './assertions.ts';

const path = 'packages/supervisor/src/run-state.ts';

test('the lifecycles of the repository are drawn', () => {
  assertObeyed(checkLifecycles);
});

test('a transition that is named with its file is accepted', () => {
  assertAccepted(checkLifecycles, {
    [path]: 'export function nextRun() {}',
    [lifecyclesPath]: `## Run\n\n\`nextRun\` in \`${path}\`\n`,
  });
});

test('a transition that is not drawn is refused', () => {
  assertRefused(checkLifecycles, { [path]: 'export function nextRun() {}' }, [
    /nextRun is not drawn/,
  ]);
});

test('a drawing of what is gone is refused', () => {
  assertRefused(
    checkLifecycles,
    { [path]: 'export function other() {}', [lifecyclesPath]: `\`nextRun\` in \`${path}\`\n` },
    [/exports no transition/, /nextRun does not exist/],
  );
});

test('a private step, a comment and a test are not lifecycles', () => {
  assertAccepted(checkLifecycles, {
    [path]: 'function nextByte() {}\n/*\nexport function nextRun() {}\n*/',
    'packages/supervisor/test/a.test.ts': 'export function nextRun() {}',
  });
});
