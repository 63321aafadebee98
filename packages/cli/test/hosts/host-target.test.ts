/*
 * `user@host[:port]`: every form that people write for ssh, and what is no such thing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatTarget, hostTarget } from '../../src/hosts/host-target.ts';

const read = (text: string) => hostTarget.fromText('the host', text);

test('names, addresses and ports are taken apart', () => {
  const cases: readonly [string, string, string, number][] = [
    ['deploy@web.example.org', 'deploy', 'web.example.org', 22],
    ['root@10.0.0.7:2222', 'root', '10.0.0.7', 2222],
    ['ann@box:1', 'ann', 'box', 1],
    ['ann@::1', 'ann', '::1', 22],
    ['ann@fe80::1:2', 'ann', 'fe80::1:2', 22],
    ['ann@[::1]', 'ann', '::1', 22],
    ['ann@[2001:db8::7]:65535', 'ann', '2001:db8::7', 65_535],
    ['ssh://ann@box:2222', 'ann', 'box', 2222],
  ];
  for (const [text, username, host, port] of cases) {
    assert.deepEqual(read(text), { username, host, port }, text);
  }
});

test('what is no host is a mistake that says what is missing', () => {
  assert.throws(() => read('web.example.org'), { code: 'usage', hint: /you@web\.example\.org/ });
  for (const text of [
    '@box',
    'ann@',
    'ann@box:',
    'ann@box:0',
    'ann@box:65536',
    'ann@box:x',
    'a b@c',
    'ann@bo x',
    'ann@[::1',
    'a@b@c',
  ]) {
    assert.throws(() => read(text), { code: 'usage' }, text);
  }
});

test('what was read is written in the same form again', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,12}$/);
  const host = fc.oneof(
    name,
    fc.ipV4(),
    fc.ipV6().filter((text) => text.includes(':')),
  );
  fc.assert(
    fc.property(name, host, fc.integer({ min: 1, max: 65_535 }), (username, where, port) => {
      const target = { username, host: where, port };
      assert.deepEqual(read(formatTarget(target)), target);
    }),
  );
});
