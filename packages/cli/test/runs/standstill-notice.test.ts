/*
 * J4: a run that cannot keep its output says why nothing moves, and when it goes on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStandstillNotice } from '../../src/runs/standstill-notice.ts';
import { createFakeIo } from '../support/fake-io.ts';
import { runId } from '../support/records.ts';

const blocked = {
  type: 'blocked',
  runId: runId('3k9qv7hd2m5x8abc'),
  isBlocked: true,
  why: 'No space left on device',
} as const;

function noticed(isQuiet = false): string {
  const io = createFakeIo();
  const notice = createStandstillNotice({ io, isQuiet, where: 'in /var/state' });
  notice.event(blocked);
  notice.event({ ...blocked, isBlocked: false, why: undefined });
  notice.event({ type: 'lease-lost', generation: 1 });
  return io.err();
}

test('J4: standing still and going on are told, and nothing else', () => {
  assert.equal(
    noticed(),
    'clf: run 3k9qv7hd2m5x stands still: its output cannot be kept in /var/state (No space left on device)\n' +
      'clf: run 3k9qv7hd2m5x goes on\n',
  );
});

test('who wants quiet has quiet', () => {
  assert.equal(noticed(true), '');
});
