/*
 * Kinds of values that hold more than one piece: assignments, pairs, lists.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flagName, pairsFlag } from '../../src/args/flag.ts';
import { assignedEnv, choices, envAssignment, unsetNames } from '../../src/args/kinds.ts';

test('pairs: later ones win, and values may hold equals signs', () => {
  const { read } = pairsFlag({ summary: '' });
  assert.deepEqual(read('--label', ['a=1', 'b=x=y', 'a=2']), { a: '2', b: 'x=y' });
  assert.deepEqual(read('--label', []), {});
  for (const text of ['bare', '=x', 'a=\0']) {
    assert.throws(() => read('--label', [text]), /--label is not NAME=VALUE/, text);
  }
});

test('assignments: a bare name is taken from here, or not set there', () => {
  const assigned = ['HOME', 'GONE', 'X=', 'Y=1', 'Y=2'].map((text) =>
    envAssignment.fromText('--env', text),
  );
  assert.deepEqual(assignedEnv(assigned, { HOME: '/h' }), { HOME: '/h', X: '', Y: '2' });
  assert.deepEqual(unsetNames(assigned, { HOME: '/h' }), ['GONE']);
  assert.throws(() => envAssignment.fromText('--env', '=x'), /--env is not NAME=VALUE/);
});

test('several of a list, each once', () => {
  const kind = choices('SCOPE', ['read', 'run']);
  assert.equal(kind.placeholder, 'SCOPE,…');
  assert.deepEqual(kind.fromText('--scope', 'run, read,run'), ['run', 'read']);
  assert.throws(() => kind.fromText('--scope', 'read,rum'), /--scope is not one of read, run/);
});

test('the name on the command line follows from the key', () => {
  assert.equal(flagName('limitOpenFiles'), 'limit-open-files');
  assert.equal(flagName('json'), 'json');
});
