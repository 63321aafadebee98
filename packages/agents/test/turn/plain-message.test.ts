/*
 * What is kept of an error that an agent or its provider has written.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTurn } from '@clawdfather/agents';

function kept(message: string): string | undefined {
  const step = nextTurn({ status: 'running' }, { type: 'refused', message });
  return step.outcome === 'ended' ? step.result.message : undefined;
}

test('an error is one line without escape sequences', () => {
  assert.equal(kept('\u001b[31mno\u001b[0m\r\n  money\tleft\u202e\u0007\n'), 'no money left');
  assert.equal(kept('\u001b]0;title\u0007stopped'), 'stopped');
});

test('what looks like a key is hidden, and the rest is kept', () => {
  assert.equal(
    kept('401: invalid x-api-key: "sk-ant-REDACTED" for claude'),
    '401: invalid x-api-key: "(hidden)" for claude',
  );
  assert.equal(kept('refused sk-proj-aaaabbbbcccc, try again'), 'refused (hidden), try again');
  assert.equal(kept('Authorization: Bearer abcdefgh.ijkl.mnop'), 'Authorization: Bearer (hidden)');
  assert.equal(kept('password=hunter22; user=ann'), 'password=(hidden); user=ann');
  assert.equal(
    kept('at https://ann:hunter22@proxy:8080/x'),
    'at https://ann:(hidden)@proxy:8080/x',
  );
  assert.equal(kept('tokens used: 1200 of 1000'), 'tokens used: 1200 of 1000');
});

test('its length is bounded, and no character is cut in two', () => {
  const long = kept(`${'a'.repeat(998)}\u{1f600}${'b'.repeat(100_000)}`) ?? '';
  assert.equal(long, `${'a'.repeat(998)}…`);
  // An agent that means harm costs no time.
  assert.equal(kept('\u001b['.repeat(500_000))?.length, 1_000);
  kept(`token: ${'a:'.repeat(500_000)}`);
  kept('://:'.repeat(300_000));
});
