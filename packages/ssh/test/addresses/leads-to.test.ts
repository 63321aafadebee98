/*
 * Spellings of addresses, and what lies inside an address. Node's own parser is the oracle for spellings.
 */
import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatIpAddress, parseIpAddress } from '../../src/addresses/ip-address.ts';
import { kindOf } from '../../src/addresses/address-kind.ts';
import { leadsTo } from '../../src/addresses/leads-to.ts';

function placesOf(text: string): readonly string[] {
  const address = parseIpAddress(text);
  assert.ok(address, `${text} is read`);
  return leadsTo(address).map(formatIpAddress);
}

test('an address that is written and read again is the same address, in its shortest form', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const address = parseIpAddress(text);
      assert.ok(address);
      const written = formatIpAddress(address);
      assert.deepEqual(parseIpAddress(written), address);
      // Node's own matcher takes both spellings for one address.
      const list = new BlockList();
      const family = address.family === 4 ? 'ipv4' : 'ipv6';
      list.addAddress(text, family);
      assert.ok(list.check(written, family), `${text} and ${written}`);
    }),
  );
});

test('only the usual spelling is an address', () => {
  for (const text of [
    '2130706433',
    '0x7f000001',
    '127.1',
    '0177.0.0.1',
    '0',
    '127.0.0.01',
    '127.0.0.1.',
    '',
    '①②⑦.⓪.⓪.①',
    '１２７.0.0.1',
    '127。0。0。1',
    '[::1]',
    '::1%lo',
    'fe80::1%1',
    ' ::1',
    '127.0.0.1\n',
    '::ffff:127.0.0.1\0',
    '::ffff:127.1',
    '1:2:3:4:5:6:7',
    '::1::',
  ]) {
    assert.equal(parseIpAddress(text), undefined, JSON.stringify(text));
  }
});

test('an address leads to the one that it carries', () => {
  const inside: Readonly<Record<string, string>> = {
    '::ffff:127.0.0.1': '127.0.0.1',
    '::ffff:7f00:1': '127.0.0.1',
    '::ffff:0:127.0.0.1': '127.0.0.1',
    '::127.0.0.1': '127.0.0.1',
    '64:ff9b::7f00:1': '127.0.0.1',
    '64:ff9b::169.254.169.254': '169.254.169.254',
    '64:ff9b:1::7f00:1': '127.0.0.1',
    '64:ff9b:1:7f00:0:100::': '127.0.0.1',
    '2002:7f00:1::': '127.0.0.1',
    '2002:a9fe:a9fe::1': '169.254.169.254',
    '2001:0:7f00:1::': '127.0.0.1',
    '2001:0:808:808::80ff:fffe': '127.0.0.1',
    'fd00::5efe:127.0.0.1': '127.0.0.1',
    '2001:db8::200:5efe:7f00:1': '127.0.0.1',
  };
  for (const [text, place] of Object.entries(inside)) {
    assert.ok(
      placesOf(text).includes(place),
      `${text} leads to ${place}: ${placesOf(text).join(' ')}`,
    );
  }
});

test('the unspecified address leads to this machine, however it is written', () => {
  for (const text of ['0.0.0.0', '::', '::ffff:0.0.0.0', '::ffff:0:0.0.0.0', '64:ff9b::', '2002::'])
    assert.ok(placesOf(text).includes('127.0.0.1'), text);
});

test('an address that carries nothing leads to itself', () => {
  for (const text of ['127.0.0.1', '8.8.8.8', '::1', '2606:4700::1111', 'fe80::1'])
    assert.deepEqual(placesOf(text), [text]);
});

test('every range has its kind, with its edges', () => {
  const kinds: Readonly<Record<string, readonly string[]>> = {
    loopback: ['127.0.0.0', '127.255.255.255', '::1'],
    metadata: ['169.254.169.254', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254'],
    'link-local': ['169.254.0.0', '169.254.255.255', 'fe80::1', 'febf:ffff::1'],
    private: [
      '10.0.0.0',
      '172.16.0.0',
      '172.31.255.255',
      '192.168.0.1',
      '100.127.255.255',
      'fc00::',
    ],
    public: [
      '9.255.255.255',
      '11.0.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '128.0.0.0',
      '2001:4860::1',
    ],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
    broadcast: ['255.255.255.255'],
    reserved: ['0.0.0.1', '240.0.0.1', '192.0.0.8', '::2', '100::1', '4000::'],
  };
  for (const [kind, texts] of Object.entries(kinds)) {
    for (const text of texts) {
      const address = parseIpAddress(text);
      assert.ok(address, text);
      assert.equal(kindOf(address), kind, text);
    }
  }
});
