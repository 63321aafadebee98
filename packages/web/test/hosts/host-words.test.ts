/*
 * How a host stands, in the words of the list.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standingOfHost } from '../../src/hosts/host-words.ts';

const at = '2026-11-18T12:00:00.000Z';
const wordsOf = (result: string, cause: string | null = null): string =>
  standingOfHost({ last_test: { result, cause, latency_ms: null, at } }).words;

test('a host that was never tested is not set up, one that works says so', () => {
  assert.equal(standingOfHost({ last_test: null }).words, 'not set up');
  assert.equal(wordsOf('ok'), 'works');
});

test('a failed test says where it stopped: name, port, server, key', () => {
  assert.equal(wordsOf('failed', 'dns'), 'name not found');
  assert.equal(wordsOf('failed', 'refused'), 'nothing answers there');
  assert.equal(wordsOf('failed', 'closed-early'), 'no SSH server');
  assert.equal(wordsOf('failed', 'key-not-installed'), 'key not accepted');
  assert.equal(wordsOf('failed', 'restricted-shell'), 'runs no commands');
});

test('a failure whose cause is not known, or was not kept, is a failed test', () => {
  assert.equal(wordsOf('failed'), 'test failed');
  assert.equal(wordsOf('failed', 'something-new'), 'test failed');
});
