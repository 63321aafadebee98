/*
 * Coded errors: told apart by code, with detail and hint for people.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CodedError, errnoOf, hasCode, hasErrno } from '@clawdfather/kit';

class ExampleError extends CodedError<'not-found' | 'not-allowed'> {}

test('an error carries its code, detail, hint and cause', () => {
  const cause = new Error('below');
  const error = new ExampleError('not-found', 'no such run', {
    detail: { runId: 'a' },
    hint: 'List the runs.',
    cause,
  });
  assert.ok(error instanceof Error);
  assert.equal(error.name, 'ExampleError');
  assert.equal(error.code, 'not-found');
  assert.deepEqual(error.detail, { runId: 'a' });
  assert.equal(error.hint, 'List the runs.');
  assert.equal(error.cause, cause);
});

test('an error without parts has empty detail and no cause', () => {
  const error = new ExampleError('not-allowed', 'no');
  assert.deepEqual(error.detail, {});
  assert.equal(error.hint, undefined);
  assert.equal('cause' in error, false);
});

test('hasCode is true for the named codes only', () => {
  const error: unknown = new ExampleError('not-found', 'no');
  assert.equal(hasCode(error, 'not-allowed', 'not-found'), true);
  assert.equal(hasCode(error, 'not-allowed'), false);
  assert.equal(hasCode(Object.assign(new Error('x'), { code: 'not-found' }), 'not-found'), false);
  assert.equal(hasCode(undefined, 'not-found'), false);
});

test('what the system says is known by its name', () => {
  const thrown = (): unknown => {
    try {
      return readFileSync('/nowhere/at/all');
    } catch (error) {
      return error;
    }
  };
  const error = thrown();
  assert.equal(errnoOf(error), 'ENOENT');
  assert.equal(hasErrno(error, 'EACCES', 'ENOENT'), true);
  assert.equal(hasErrno(error, 'EACCES'), false);
  for (const other of [
    new Error('x'),
    'ENOENT',
    undefined,
    Object.assign(new Error('x'), { code: 2 }),
  ]) {
    assert.equal(errnoOf(other), undefined);
    assert.equal(hasErrno(other, 'ENOENT'), false);
  }
});
