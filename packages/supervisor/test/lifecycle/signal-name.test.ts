/*
 * Signals by the name that everybody writes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signalNameOf } from '../../src/lifecycle/signal-name.ts';

test('numbers get their common names, real-time signals their number', () => {
  const names = [1, 2, 6, 9, 11, 15, 17, 29].map(signalNameOf);
  const common = [
    'SIGHUP',
    'SIGINT',
    'SIGABRT',
    'SIGKILL',
    'SIGSEGV',
    'SIGTERM',
    'SIGCHLD',
    'SIGIO',
  ];
  assert.deepEqual(names, common);
  assert.equal(signalNameOf(40), 'SIG40');
});
