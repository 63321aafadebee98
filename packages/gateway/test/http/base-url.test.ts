/*
 * The address that people are given.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseUrlOf } from '../../src/http/base-url.ts';

const tls = { cert: '', key: '' };

test('the public address comes first, then the one we listen on', () => {
  const at = (host: string) => ({ listen: { host, port: 0 } });
  assert.equal(baseUrlOf(at('127.0.0.1'), 8420), 'http://127.0.0.1:8420');
  assert.equal(baseUrlOf(at('::1'), 8420), 'http://[::1]:8420');
  assert.equal(baseUrlOf({ ...at('192.0.2.7'), tls }, 443), 'https://192.0.2.7:443');
  assert.equal(baseUrlOf({ ...at('0.0.0.0'), tls }, 8420), 'https://localhost:8420');
  const publicUrl = 'https://clawd.example.org/';
  assert.equal(baseUrlOf({ ...at('0.0.0.0'), publicUrl }, 8420), 'https://clawd.example.org');
});
