/*
 * What a restricted login shell looks like: real ones, and the evidence that they leave.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { planCommand } from '../../src/command/plan-command.ts';
import { restrictedShell } from '../../src/command/restricted-shell.ts';

function evidenceOf(
  shell: string,
  environment?: Readonly<Record<string, string>>,
): ReturnType<typeof restrictedShell> {
  const planned = planCommand({
    command: { argv: ['echo', 'ran'] },
    leaseId: '0123456789abcdefghjkmnpqrstvwxyz',
    nonce: 'nonce-1234567890',
    isTerminal: false,
    graceMs: 0,
    environment,
  });
  const end = spawnSync(shell, ['-c', planned.execString], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', SHELL: shell, HOME: '/' },
    input: planned.stdinPayload ?? '',
  });
  return restrictedShell({
    isHeaderExpected: planned.nonce !== undefined,
    isHeaderSeen: end.stderr.includes(`\u001eCLF1 ${planned.nonce} `),
    exitCode: end.status ?? undefined,
  });
}

for (const shell of ['/usr/bin/rbash', '/usr/sbin/nologin', '/bin/false', '/bin/true']) {
  test(`${shell} is a restricted shell`, { skip: !existsSync(shell) }, () => {
    assert.equal(evidenceOf(shell), 'yes');
    assert.equal(evidenceOf(shell, { A: 'b' }), 'yes');
  });
}

test('an ordinary shell is none', () => {
  assert.equal(evidenceOf('/bin/sh'), 'no');
  assert.equal(evidenceOf('/bin/bash', { A: 'b' }), 'no');
});

test('without the evidence it is not known', () => {
  const seen = { isHeaderExpected: true, isHeaderSeen: false, exitCode: 1 };
  assert.equal(restrictedShell(seen), 'yes');
  assert.equal(restrictedShell({ ...seen, exitCode: 254 }), 'no');
  assert.equal(restrictedShell({ ...seen, exitCode: undefined }), 'unknown');
  assert.equal(restrictedShell({ ...seen, isHeaderExpected: false }), 'unknown');
});
