/*
 * What exec accepts and refuses, and that the schema has exactly the words of docs/tools.md.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execParamsSchema } from '../src/index.ts';

const refusals: readonly (readonly [string, unknown])[] = [
  ['neither command nor argv', {}],
  ['both command and argv', { command: 'ls', argv: ['ls'] }],
  ['an empty command', { command: '' }],
  ['an empty argv', { argv: [] }],
  ['a shell beside argv', { argv: ['ls'], shell: '/bin/bash' }],
  ['an unknown field', { command: 'ls', cwd: '/' }],
  ['yieldMs below 10', { command: 'ls', yieldMs: 9 }],
  ['yieldMs above 120,000', { command: 'ls', yieldMs: 120_001 }],
  ['a negative timeout', { command: 'ls', timeoutSeconds: -1 }],
  ['a zero silence limit', { command: 'ls', noOutputTimeoutSeconds: 0 }],
  ['a terminal without columns', { command: 'ls', pty: true, cols: 0 }],
  ['unknown leftovers', { command: 'ls', leftovers: 'forget' }],
];

for (const [name, params] of refusals) {
  test(`exec refuses ${name}`, () => {
    assert.equal(execParamsSchema.safeParse(params).success, false);
  });
}

test('exec accepts a line with everything, and a bare argv', () => {
  const whole = { command: 'ls', shell: '/bin/bash', workdir: '/', pty: true, cols: 80, rows: 24 };
  assert.deepEqual(execParamsSchema.parse(whole), whole);
  assert.deepEqual(execParamsSchema.parse({ argv: ['ls', ''] }), { argv: ['ls', ''] });
  assert.equal(execParamsSchema.parse({ command: 'ls', timeoutSeconds: 0 }).timeoutSeconds, 0);
});
