/*
 * Pins are keys and nothing else. ssh-keygen makes the keys and is the oracle for fingerprints and lines.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import {
  comparePin,
  fingerprintOf,
  formatHostKey,
  formatPinLine,
  hostKeyAlgorithmsOf,
  parseHostKey,
} from '../../src/pins/host-key.ts';
import type { HostKey } from '../../src/pins/host-key.ts';

const run = promisify(execFile);
const keygen = '/usr/bin/ssh-keygen';
const made = {
  ed25519: ['-t', 'ed25519'],
  'ecdsa-256': ['-t', 'ecdsa', '-b', '256'],
  'ecdsa-384': ['-t', 'ecdsa', '-b', '384'],
  'ecdsa-521': ['-t', 'ecdsa', '-b', '521'],
  'rsa-2048': ['-t', 'rsa', '-b', '2048'],
  'rsa-3072': ['-t', 'rsa', '-b', '3072'],
} as const;

let directory = '';
/* `<type> <blob>` of each. */
const texts = new Map<string, string>();

async function makeKey(name: string, args: readonly string[]): Promise<string> {
  const path = join(directory, name);
  await run(keygen, ['-q', '-N', '', '-C', '', '-f', path, ...args]);
  return (await readFile(`${path}.pub`, 'utf8')).trim();
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'clf-pins-'));
  for (const [name, args] of Object.entries(made)) texts.set(name, await makeKey(name, args));
  texts.set('sk-ed25519', securityKey());
});
after(() => rm(directory, { recursive: true }));

function field(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/* No security key is at hand to make one, and its public half is only bytes: those of the plain key, and `ssh:`. */
function securityKey(application = 'ssh:'): string {
  const type = 'sk-ssh-ed25519@openssh.com';
  const plain = blobOf('ed25519');
  const parts = [field(type), plain.subarray(plain.length - 36), field(application)];
  return `${type} ${Buffer.concat(parts).toString('base64')}`;
}

function textOf(name: string): string {
  const text = texts.get(name);
  assert.ok(text);
  return text;
}

function blobOf(name: string): Buffer {
  return Buffer.from(textOf(name).split(' ')[1] ?? '', 'base64');
}

function read(text: string): HostKey {
  const reading = parseHostKey(text);
  assert.equal(reading.outcome, 'read', text);
  return reading.outcome === 'read' ? reading.key : assert.fail();
}

function refusalOf(text: string): string {
  const reading = parseHostKey(text);
  return reading.outcome === 'refused' ? reading.why : 'read';
}

test('a key of each kind is read, with the fingerprint that ssh-keygen prints', async () => {
  for (const [name, text] of texts) {
    const key = read(text);
    assert.equal(formatHostKey(key), text);
    const path = join(directory, `${name}.line`);
    await writeFile(path, `${text}\n`);
    const { stdout } = await run(keygen, ['-lf', path]);
    assert.equal(stdout.split(' ')[1], fingerprintOf(key), name);
  }
});

test('the line that we write is found by ssh-keygen under its alias, and only there', async () => {
  const path = join(directory, 'known_hosts');
  for (const text of texts.values()) {
    await writeFile(path, formatPinLine('clf-0123456789abcdef', read(text)));
    const found = await run(keygen, ['-F', 'clf-0123456789abcdef', '-f', path]);
    assert.ok(found.stdout.includes(text));
    await assert.rejects(run(keygen, ['-F', 'clf-0123456789abcdeg', '-f', path]));
  }
});

test('an alias that would match other hosts, or say more, is refused', () => {
  const key = read(textOf('ed25519'));
  for (const alias of [
    '*',
    'clf-*',
    'clf-?',
    'clf-',
    'clf-a,b',
    'clf-a\nb',
    '@revoked',
    'a',
    '|1|a=',
  ])
    assert.throws(() => formatPinLine(alias, key), TypeError, alias);
});

test('everything but a type and a blob is refused', () => {
  const text = textOf('ed25519');
  const second = textOf('rsa-2048');
  for (const bad of [
    '',
    `${text}\n`,
    `${text}\n* ${second}`,
    `${text}\r\n* ${second}`,
    `${text}\0`,
    `${text} comment`,
    ` ${text}`,
    `\t${text}`,
    text.replace(' ', '  '),
    text.replace(' ', '\t'),
    `* ${text}`,
    `host.test ${text}`,
    `host.test,* ${text}`,
    `@revoked * ${text}`,
    `@cert-authority * ${text}`,
    `restrict,command="true" ${text}`,
    `#${text}`,
    `${text}=`,
    `${text.slice(0, -1)}`,
    text.replace(' ', ' -'),
    text.replaceAll('A', 'Ａ'),
    'x'.repeat(10_000),
  ]) {
    assert.notEqual(refusalOf(bad), 'read', JSON.stringify(bad));
  }
});

test('a blob has one spelling', () => {
  // Bits beyond the last byte are ignored by Node's reader, so two spellings would be one key.
  const padded = textOf('ecdsa-256');
  assert.ok(padded.endsWith('='));
  const twin = padded.replace(/.(?==+$)/, (last) => String.fromCharCode(last.charCodeAt(0) + 1));
  assert.deepEqual(Buffer.from(twin.split(' ')[1] ?? '', 'base64'), blobOf('ecdsa-256'));
  assert.equal(refusalOf(twin), 'form');
  assert.equal(refusalOf(padded.replace(/=+$/, '')), 'form');
});

test('the type outside is the type inside', () => {
  for (const [name, text] of texts) {
    for (const [other, otherText] of texts) {
      const [type = ''] = otherText.split(' ');
      if (text.startsWith(`${type} `)) continue;
      const mixed = `${type} ${text.split(' ')[1] ?? ''}`;
      assert.equal(refusalOf(mixed), 'blob', `${name} as ${other}`);
    }
  }
});

test('kinds that are out of use, certificates and short RSA keys are refused', async () => {
  assert.equal(refusalOf(await makeKey('rsa-1024', ['-t', 'rsa', '-b', '1024'])), 'rsa-too-short');
  const [, blob = ''] = textOf('ed25519').split(' ');
  for (const type of ['ssh-dss', 'ssh-ed25519-cert-v01@openssh.com', 'rsa-sha2-512', 'ssh-ed448'])
    assert.equal(refusalOf(`${type} ${blob}`), 'type');
});

test('no blob with a byte changed in its structure, cut or added is read', () => {
  for (const [name, text] of texts) {
    const [type = ''] = text.split(' ');
    const blob = blobOf(name);
    const asText = (bytes: Buffer): string => `${type} ${bytes.toString('base64')}`;
    for (let length = 0; length < blob.length; length += 1)
      assert.notEqual(refusalOf(asText(blob.subarray(0, length))), 'read');
    assert.notEqual(refusalOf(asText(Buffer.concat([blob, Buffer.alloc(1)]))), 'read');
    assert.notEqual(refusalOf(asText(Buffer.concat([blob, field('more')]))), 'read');
    for (let at = 0; at < 4 + type.length + 4; at += 1) {
      const changed = Buffer.from(blob);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.notEqual(refusalOf(asText(changed)), 'read', `${name} at ${at}`);
    }
  }
  assert.equal(refusalOf(securityKey('')), 'blob');
  assert.equal(refusalOf(securityKey('ssh:\n* x')), 'blob');
});

test('what is read is written as it was, whatever is thrown at it', () => {
  const pieces = fc.constantFrom(...texts.values(), ' ', '\n', '*', '@revoked', '=', 'AAAA', '\0');
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 4 }), (parts) => {
      const text = parts.join('');
      const reading = parseHostKey(text);
      if (reading.outcome !== 'read') return;
      assert.equal(formatHostKey(reading.key), text);
      assert.ok([...texts.values()].includes(text));
    }),
  );
});

test('a key is unknown, the same, or another', () => {
  const pin = read(textOf('ed25519'));
  assert.equal(comparePin(undefined, pin), 'unknown');
  for (const text of texts.values())
    assert.equal(comparePin(pin, read(text)), text === textOf('ed25519') ? 'same' : 'changed');
});

test('ssh knows every algorithm that we name', async () => {
  const { stdout } = await run('/usr/bin/ssh', ['-Q', 'HostKeyAlgorithms']);
  const known = stdout.trim().split('\n');
  for (const pin of [undefined, ...[...texts.values()].map(read)])
    for (const name of hostKeyAlgorithmsOf(pin)) assert.ok(known.includes(name), name);
  const algorithms = hostKeyAlgorithmsOf(read(textOf('rsa-2048')));
  assert.deepEqual(algorithms.slice(0, 3), ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-ed25519']);
  assert.deepEqual([...algorithms].sort(), [...hostKeyAlgorithmsOf(undefined)].sort());
});
