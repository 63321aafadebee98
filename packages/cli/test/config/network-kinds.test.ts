/*
 * Addresses, networks and what may be left out, as settings have them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  contact,
  networks,
  optionalPath,
  originList,
  parseAddress,
  webAddress,
} from '../../src/config/network-kinds.ts';

test('addresses: name or IPv4 with a port, IPv6 in brackets', () => {
  assert.deepEqual(parseAddress('x', '127.0.0.1:8420'), { host: '127.0.0.1', port: 8420 });
  assert.deepEqual(parseAddress('x', '[::1]:0'), { host: '::1', port: 0 });
  for (const text of ['8420', '::1:8420', 'a:99999', ':1', 'a b:1', '127.0.0.1']) {
    assert.throws(() => parseAddress('x', text), /x is not an address/, text);
  }
});

test('networks: addresses and prefixes of a length that there is, with commas between', () => {
  assert.deepEqual(networks.fromText('x', '10.0.0.7, fd00::/8'), ['10.0.0.7', 'fd00::/8']);
  assert.deepEqual(networks.fromJson('x', ['10.0.0.0/8']), ['10.0.0.0/8']);
  for (const text of ['10.0.0.0/33', 'example.org', '10.0.0.0/8/8', '10.0.0.0/-1', '10.0.0.0/']) {
    assert.throws(() => networks.fromText('x', text), /x is not an address or network/, text);
  }
});

test('none is nothing, both ways', () => {
  assert.equal(optionalPath.fromText('x', 'none'), undefined);
  assert.equal(optionalPath.toJson(undefined), 'none');
  assert.equal(optionalPath.fromJson('x', '/a'), '/a');
});

test('web addresses are http or https', () => {
  assert.equal(webAddress.fromText('x', 'https://a.example'), 'https://a.example');
  for (const text of ['a.example', 'ftp://a', 'javascript:1']) {
    assert.throws(() => webAddress.fromText('x', text), /not a web address/, text);
  }
});

test('a contact is a mail address or a page, in the form of an address', () => {
  for (const text of ['mailto:me@a.example', 'https://a.example/contact']) {
    assert.equal(contact.fromText('x', text), text);
  }
  for (const text of ['me@a.example', 'mailto:me', 'http://a.example', 'mailto:a b@c']) {
    assert.throws(() => contact.fromText('x', text), /not a contact/, text);
  }
});

test('origins are those of https, or of this machine', () => {
  const good = 'https://a.example,http://127.0.0.1:7000';
  assert.deepEqual(originList.fromText('x', good), good.split(','));
  for (const text of [
    'http://a.example',
    'https://a.example/path',
    'https://a.example/',
    'http://127.0.0.1.a.example',
    'a.example',
  ]) {
    assert.throws(() => originList.fromText('x', text), /not an origin/, text);
  }
});
