/*
 * The grammars of host, user, port and label: nothing that means something to ssh, a shell, a configuration
 * file or a file name gets through.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { api } from '@clawdfather/protocol/api';

const good = {
  label: 'web',
  host: 'example.org',
  username: 'deploy',
  keypair_id: '0123456789abcdef',
};

const parse = (fields: object) => api.connections.create.body.safeParse({ ...good, ...fields });
const isAccepted = (fields: object): boolean => parse(fields).success;

test('names and addresses as people write them are taken', () => {
  for (const host of [
    'localhost',
    'example.org',
    'a-b.c_d.example',
    '10.0.0.1',
    '::1',
    '2001:db8::7',
    'fe80::1',
    'x1',
    '1password.example',
    'xn--bcher-kva.example',
  ]) {
    assert.equal(isAccepted({ host }), true, host);
  }
  for (const username of ['root', 'deploy', 'first.last', '_www', 'a-b', 'DOMAIN_user', '1000']) {
    assert.equal(isAccepted({ username }), true, username);
  }
  assert.equal(parse({ host: 'EXAMPLE.Org' }).data?.host, 'example.org');
  assert.equal(parse({}).data?.port, 22);
});

test('what looks like a name and is something else is refused', () => {
  for (const host of [
    '',
    '-oProxyCommand=x',
    'a b',
    'a\nHost *',
    'a\r',
    'a\0b',
    'user@host',
    'host%h',
    '$(id)',
    '`id`',
    'a;b',
    'a|b',
    'a&b',
    "a'b",
    'a"b',
    'a\\b',
    'a/b',
    '../a',
    'a*',
    '?',
    '!a',
    '#a',
    '~a',
    '[::1]',
    'fe80::1%eth0',
    '.a',
    'a.',
    'a..b',
    'a-',
    'ⓛocalhost',
    'bücher.example',
    // Loopback, in the ways that only resolvers know.
    '2130706433',
    '0x7f000001',
    '127.1',
    '0177.0.0.1',
    '0',
    '127.0.0.01',
    '256.1.1.1',
    '1.2.3.4.5',
    'a'.repeat(64),
    `${'a.'.repeat(127)}a`,
  ]) {
    assert.equal(isAccepted({ host }), false, JSON.stringify(host));
  }
  for (const username of ['', '-l', 'a b', 'a@b', '$(id)', 'a%r', 'a\n', '.a', 'a'.repeat(65)]) {
    assert.equal(isAccepted({ username }), false, JSON.stringify(username));
  }
  for (const port of [0, -1, 65_536, 22.5, '22', null]) {
    assert.equal(isAccepted({ port }), false, String(port));
  }
  for (const label of ['', ' ', 'a\nb', 'a\u001b[2J', '\u202egnp.exe', 'a'.repeat(65)]) {
    assert.equal(isAccepted({ label }), false, JSON.stringify(label));
  }
});

/* Strings near the good ones: a good name with anything put in anywhere. */
const nearly = (names: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...names), fc.string({ unit: 'binary', maxLength: 3 }), fc.nat(20))
    .map(([name, extra, at]) => name.slice(0, at) + extra + name.slice(at));

test('whatever is accepted is made of signs that mean nothing elsewhere', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string(),
    nearly(['example.org', '10.0.0.1', '2001:db8::7', 'deploy']),
  );
  fc.assert(
    fc.property(anything, (text) => {
      if (isAccepted({ host: text })) {
        assert.match(parse({ host: text }).data?.host ?? '', /^(?!-)[a-z0-9_.:-]{1,253}$/);
      }
      if (isAccepted({ username: text })) assert.match(text, /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/);
    }),
    { numRuns: 2_000 },
  );
});

test('one bad sign anywhere spoils a good name', () => {
  const bad = fc.constantFrom(...Array.from(' \t\n\r\0\u007f"\'`$%@;|&<>(){}[]*?!#~=,\\/^+'));
  fc.assert(
    fc.property(
      fc.constantFrom('example.org', '::1', 'deploy'),
      bad,
      fc.nat(11),
      (name, sign, at) => {
        const spoilt = name.slice(0, at) + sign + name.slice(at);
        assert.equal(isAccepted({ host: spoilt }), false);
        assert.equal(isAccepted({ username: spoilt }), false);
      },
    ),
    { numRuns: 500 },
  );
});
