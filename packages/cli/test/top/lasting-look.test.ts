/*
 * Looks while a gateway comes and goes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '@clawdfather/kit';
import { lastingLook } from '../../src/top/lasting-look.ts';

test('while a gateway does not answer, the last look is shown with the reason', async () => {
  const unreachable = new CodedError('gateway-unreachable', 'no answer from home');
  let atMs = 1;
  let error: Error | undefined;
  const look = lastingLook(async () => {
    if (error !== undefined) throw error;
    return { atMs, live: [], ended: [] };
  });
  await look();
  error = unreachable;
  assert.deepEqual(await look(), { atMs: 1, live: [], ended: [], problem: 'no answer from home' });
  error = undefined;
  atMs = 2;
  assert.deepEqual(await look(), { atMs: 2, live: [], ended: [] });
});

test('the first look fails, and so does one that fails for good', async () => {
  const unreachable = new CodedError('gateway-unreachable', 'no answer from home');
  await assert.rejects(lastingLook(() => Promise.reject(unreachable))(), unreachable);
  const signedOut = new CodedError('not-signed-in', 'your sign-in has ended');
  let looks = 0;
  const look = lastingLook(async () => {
    looks += 1;
    if (looks > 1) throw signedOut;
    return { atMs: 1, live: [], ended: [] };
  });
  await look();
  await assert.rejects(look(), signedOut);
});
