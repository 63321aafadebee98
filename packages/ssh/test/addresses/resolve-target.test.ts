/*
 * What a connection may reach: the spellings and names with which others were led to loopback, through the system's resolver
 * where it needs no network, and through a resolver of the test where an answer has to be made up.
 */
import assert from 'node:assert/strict';
import { lookup as systemLookup } from 'node:dns/promises';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { chooseAddress, memberKinds, ownerKinds } from '../../src/addresses/address-policy.ts';
import type { AddressPolicy } from '../../src/addresses/address-policy.ts';
import { lookupMsMax, resolveTarget } from '../../src/addresses/resolve-target.ts';
import type { Lookup, ResolveOutcome } from '../../src/addresses/resolve-target.ts';

const ownListeners = [
  { address: '0.0.0.0', port: 8420 },
  { address: '10.1.1.1', port: 9000 },
];
const ownAddresses = ['10.1.1.1', '192.168.7.7', 'fe80::7%eth0'];
const member: AddressPolicy = { allowedKinds: memberKinds, ownListeners, ownAddresses };
const owner: AddressPolicy = { allowedKinds: ownerKinds, ownListeners, ownAddresses };

const asSystem: Lookup = (host) => systemLookup(host, { all: true, order: 'verbatim' });
const answers =
  (...addresses: readonly string[]): Lookup =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address })));

function resolve(
  host: string,
  parts: { policy?: AddressPolicy; port?: number; lookup?: Lookup } = {},
): Promise<ResolveOutcome> {
  const { policy = member, port = 22, lookup = asSystem } = parts;
  return resolveTarget(
    { host, port, policy },
    { lookup, clock: createFakeClock(), signal: new AbortController().signal },
  );
}

const loopbackSpellings = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '0',
  '017700000001',
  '0.0.0.0',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::127.0.0.1',
  '2002:7f00:1::',
  '2002:7f00:1::1',
  '①②⑦.⓪.⓪.①',
  '⑫⑦.0.0.1',
  '127。0。0。1',
  '１２７.0.0.1',
  'localhost',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'LOCALHOST',
  '2001:0:7f00:1::',
  '::127.0.0.1',
  'fd00::5efe:127.0.0.1',
];

test('a member reaches loopback by no spelling', async () => {
  for (const host of loopbackSpellings) {
    const { outcome } = await resolve(host);
    // A spelling that this resolver does not know is harmless, too.
    assert.ok(outcome === 'forbidden' || outcome === 'not-found', `${host}: ${outcome}`);
  }
});

test('the spellings that Linux takes for loopback are known as such', async () => {
  for (const host of ['127.1', '2130706433', '0x7f000001', '0177.0.0.1', '①②⑦.⓪.⓪.①'])
    assert.deepEqual(await resolve(host), {
      outcome: 'forbidden',
      address: '127.0.0.1',
      why: 'loopback',
    });
  assert.deepEqual(await resolve('0'), {
    outcome: 'forbidden',
    address: '0.0.0.0',
    why: 'loopback',
  });
});

test('the owner reaches loopback and private networks', async () => {
  assert.deepEqual(await resolve('127.0.0.1', { policy: owner }), {
    outcome: 'resolved',
    address: '127.0.0.1',
  });
  assert.deepEqual(await resolve('::1', { policy: owner }), {
    outcome: 'resolved',
    address: '::1',
  });
  assert.deepEqual(await resolve('192.168.1.2', { policy: owner }), {
    outcome: 'resolved',
    address: '192.168.1.2',
  });
});

test('neither reaches metadata, multicast, broadcast or what is in no use', async () => {
  for (const policy of [member, owner]) {
    for (const host of [
      '169.254.169.254',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      '2002:a9fe:a9fe::',
      'fd00:ec2::254',
      'fd20:ce::254',
      '100.100.100.200',
      '168.63.129.16',
      '2852039166',
      '224.0.0.1',
      'ff02::1',
      '255.255.255.255',
      '240.0.0.1',
      '0.1.2.3',
      '64:ff9b::e000:1',
    ]) {
      assert.equal((await resolve(host, { policy })).outcome, 'forbidden', host);
    }
  }
});

test('a member reaches nothing link-local', async () => {
  for (const host of ['169.254.1.1', 'fe80::1', '::ffff:169.254.1.1', '2002:a9fe:101::'])
    assert.equal((await resolve(host)).outcome, 'forbidden', host);
});

test('no policy reaches a listener of the gateway, at any address of this machine', async () => {
  for (const policy of [member, owner]) {
    for (const host of [
      '127.0.0.1',
      '127.0.0.9',
      '::1',
      '0.0.0.0',
      '::',
      '192.168.7.7',
      '::ffff:192.168.7.7',
      '10.1.1.1',
      '64:ff9b::c0a8:707',
    ]) {
      const outcome = await resolve(host, { policy, port: 8420 });
      assert.deepEqual(outcome, { outcome: 'forbidden', address: host, why: 'own-listener' });
    }
    const there = await resolve('10.1.1.1', { policy, port: 9000 });
    assert.equal(there.outcome, 'forbidden');
    // Another port, or another machine's address, is not ours.
    assert.equal((await resolve('10.1.1.1', { policy })).outcome, 'resolved');
    assert.equal((await resolve('10.1.1.2', { policy, port: 9000 })).outcome, 'resolved');
    assert.equal((await resolve('192.168.7.7', { policy, port: 9000 })).outcome, 'resolved');
  }
});

test('one forbidden address among many forbids the name, wherever it stands', async () => {
  const good = ['198.51.100.1', '2001:db8::1', '203.0.113.9'];
  for (let at = 0; at <= good.length; at += 1) {
    const mixed = good.toSpliced(at, 0, '127.0.0.1');
    const outcome = await resolve('host.test', { lookup: answers(...mixed) });
    assert.deepEqual(outcome, { outcome: 'forbidden', address: '127.0.0.1', why: 'loopback' });
  }
  const outcome = await resolve('host.test', { lookup: answers(...good) });
  assert.deepEqual(outcome, { outcome: 'resolved', address: '198.51.100.1' });
});

test('an answer that is no address is refused', async () => {
  for (const text of ['', 'host.test', '127.1', 'fe80::1%eth0', '10.0.0.1\nProxyCommand x']) {
    const outcome = await resolve('host.test', { lookup: answers('10.0.0.1', text) });
    assert.deepEqual(outcome, { outcome: 'forbidden', address: text, why: 'not-an-address' });
  }
  assert.equal(chooseAddress([], 22, owner).outcome, 'forbidden');
});

test('a name that changes is looked up once', async () => {
  let asked = 0;
  const changing: Lookup = () => {
    asked += 1;
    return Promise.resolve([{ address: asked === 1 ? '203.0.113.9' : '127.0.0.1' }]);
  };
  const outcome = await resolve('host.test', { lookup: changing });
  assert.deepEqual(outcome, { outcome: 'resolved', address: '203.0.113.9' });
  assert.equal(asked, 1);
});

test('an address is not looked up', async () => {
  const never: Lookup = () => Promise.reject(new Error('was looked up'));
  assert.equal((await resolve('203.0.113.9', { lookup: never })).outcome, 'resolved');
  assert.equal((await resolve('2001:db8::9', { lookup: never })).outcome, 'resolved');
  assert.deepEqual(await resolve('::ffff:203.0.113.9', { lookup: never }), {
    outcome: 'resolved',
    address: '203.0.113.9',
  });
});

test('failures of the resolver are outcomes', async () => {
  const failing: Lookup = () =>
    Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
  assert.deepEqual(await resolve('host.test', { lookup: failing }), {
    outcome: 'not-found',
    errno: 'ENOTFOUND',
  });
  assert.deepEqual(await resolve('host.test', { lookup: answers() }), {
    outcome: 'not-found',
    errno: 'ENODATA',
  });
  const many = Array.from({ length: 65 }, (_, at) => `10.0.0.${at}`);
  assert.deepEqual(await resolve('host.test', { lookup: answers(...many) }), {
    outcome: 'not-found',
    errno: 'E2BIG',
  });
});

test('a resolver that does not answer is given up, by time and by signal', async () => {
  const silent: Lookup = () => new Promise(() => {});
  const clock = createFakeClock();
  const late = resolveTarget(
    { host: 'host.test', port: 22, policy: member },
    { lookup: silent, clock, signal: new AbortController().signal },
  );
  await clock.advance(lookupMsMax);
  assert.deepEqual(await late, { outcome: 'timeout' });

  const stop = new AbortController();
  const ports = { lookup: silent, clock, signal: stop.signal };
  const stopped = resolveTarget({ host: 'host.test', port: 22, policy: member }, ports);
  stop.abort();
  assert.deepEqual(await stopped, { outcome: 'aborted' });
  const after = resolveTarget({ host: 'host.test', port: 22, policy: member }, ports);
  assert.deepEqual(await after, { outcome: 'aborted' });
});
