/*
 * What failed, in words; and what holds the places where a limit is the reason.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefusedError } from '@clawdfather/sdk';
import { problemOf } from '../../src/data/problem.ts';

function refused(code: string, detail: Readonly<Record<string, unknown>> = {}): RefusedError {
  const refusal = { code, status: 409, traceId: 't', retryAfterMs: undefined };
  return new RefusedError('it is so', { refusal, detail });
}

test('a limit says what holds its places, also where it is why there is no way to a host', () => {
  assert.equal(problemOf(refused('run_limit_reached')).held, 'runs');
  assert.equal(problemOf(refused('journal_limit_reached')).held, 'runs');
  assert.equal(problemOf(refused('session_limit_reached')).held, 'sessions');
  assert.equal(problemOf(refused('queue_full')).held, 'turns');
  const onHost = refused('ssh_connect_failed', { code: 'session_limit_reached' });
  assert.equal(problemOf(onHost).held, 'sessions');
  assert.equal(problemOf(refused('ssh_connect_failed', { code: 'host_full' })).held, 'runs');
});

test('everything else holds no places', () => {
  assert.equal(problemOf(refused('ssh_connect_failed', { code: 'expired' })).held, undefined);
  assert.equal(problemOf(refused('toString')).held, undefined);
  assert.equal(problemOf(refused('not_found')).text, 'It is so.');
});
