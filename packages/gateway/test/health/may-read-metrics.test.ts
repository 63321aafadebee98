/*
 * Who may read /metrics, by address.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMayReadMetrics } from '../../src/health/may-read-metrics.ts';

const mayRead = createMayReadMetrics(['10.1.0.0/16', '192.0.2.7', 'fd00::/8']);

/* `ip` is what the trusted proxies say, or the peer where there is none. */
function reads(ip: string, peer = ip, headers: Readonly<Record<string, string>> = {}): boolean {
  return mayRead({ ip, peer, header: (name) => headers[name] });
}

test('this machine and the configured networks may, in every notation', () => {
  const allowed = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '10.1.2.3', '192.0.2.7'];
  for (const ip of [...allowed, '::ffff:10.1.0.1', 'fd00::1']) assert.equal(reads(ip), true, ip);
});

test('nobody else may', () => {
  const strangers = [
    '10.2.0.1',
    '192.0.2.8',
    '8.8.8.8',
    '::ffff:8.8.8.8',
    'fe80::1',
    '2001:db8::1',
  ];
  for (const ip of [...strangers, '', 'localhost', '127.0.0.1x', '0']) {
    assert.equal(reads(ip), false, ip);
  }
});

test('behind a trusted proxy the forwarded address counts', () => {
  const headers = { 'x-forwarded-for': '8.8.8.8' };
  assert.equal(reads('8.8.8.8', '127.0.0.1', headers), false);
  assert.equal(reads('10.1.0.1', '127.0.0.1', { 'x-forwarded-for': '10.1.0.1' }), true);
});

test('a proxy on this machine that nobody trusts does not make the world this machine', () => {
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip']) {
    assert.equal(reads('127.0.0.1', '127.0.0.1', { [name]: '8.8.8.8' }), false, name);
  }
});
