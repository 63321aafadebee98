/*
 * What a line is called that holds what is not known here.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawTitle } from '../../src/thread/rows/raw-words.ts';

test('what an agent sends beside the conversation is told in words, with the name that it has', () => {
  assert.equal(
    rawTitle('noise', { method: 'terminal/create', raw: {} }),
    'The agent sent what is not known here: terminal/create',
  );
  assert.equal(rawTitle('noise', { text: 'x' }), 'The agent sent what is not known here');
  assert.equal(
    rawTitle('noise', { stream: 'stderr', text: 'x' }),
    'The agent wrote to its error output',
  );
  assert.equal(rawTitle('something', { update: 'mode' }), 'something: mode');
});
