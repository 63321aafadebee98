/*
 * Whom a limit per address counts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientNetworkOf, clientSiteOf } from '../../src/http/client-network.ts';

const networks = [
  ['127.0.0.1', '127.0.0.1'],
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
  ['::1', '0:0:0:0::/64'],
  ['not an address', 'not an address'],
  [undefined, 'gone'],
] as const;

for (const [ip, network] of networks) {
  test(`${ip} is counted as ${network}`, () => assert.equal(clientNetworkOf(ip), network));
}

test('a site is a /48 network, and an IPv4 address is in none', () => {
  assert.equal(clientSiteOf('2001:db8:1:2::9'), '2001:db8:1::/48');
  assert.equal(clientSiteOf('2001:db8:1:ffff::9'), '2001:db8:1::/48');
  for (const ip of ['203.0.113.9', '::ffff:203.0.113.9', 'not an address', undefined]) {
    assert.equal(clientSiteOf(ip), undefined);
  }
});
