/*
 * SPAWN, taken apart by a decoder written from docs/protocol/shim.md.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeSpawn } from '../src/wire/encode-spawn.ts';
import type { SpawnRequest } from '../src/wire/spawn-request.ts';

const plainRequest: SpawnRequest = {
  runDir: '/state/runs/r1',
  runId: 'r1',
  cookie: Buffer.alloc(16, 7),
  meta: Buffer.from('{"a":1}'),
  epoch: 3,
  owner: { instance: 'inst', generation: 4, pid: 99, startTicks: 12345 },
  argv: ['echo', 'hi'],
  env: { PATH: '/bin', EMPTY: '' },
  cwd: '/tmp',
  stdin: 'open',
  overallMs: undefined,
  noOutputMs: 2500,
  graceMs: 5000,
  killMs: 1000,
  startMs: 10_000,
  ownerLoss: 'kill',
  leaseMs: 15_000,
  leftovers: 'keep',
  journal: { mode: 'hold', bytesMax: 2 ** 40, segmentBytes: 2 ** 26 },
};

function fieldsOf(message: Buffer): ReadonlyMap<number, readonly Buffer[]> {
  assert.equal(message.readUInt32LE(0), message.length - 4);
  assert.equal(message.readUInt32LE(4), 1, 'type 1, and zero in the bytes after it');
  const fields = new Map<number, Buffer[]>();
  let at = 12;
  while (at < message.length) {
    const length = message.readUInt32LE(at + 2);
    const value = message.subarray(at + 6, at + 6 + length);
    assert.equal(value.length, length);
    const tag = message.readUInt16LE(at);
    fields.set(tag, [...(fields.get(tag) ?? []), value]);
    at += 6 + length;
  }
  assert.equal(message.readUInt16LE(12), 1, 'the version comes first');
  return fields;
}

const texts = (values: readonly Buffer[] | undefined): readonly string[] =>
  (values ?? []).map((value) => value.toString());

test('a plain request has the documented fields', () => {
  const message = encodeSpawn(plainRequest, 0xfeed_f00d);
  assert.equal(message.readUInt32LE(8), 0xfeed_f00d);
  const fields = fieldsOf(message);
  const only = (tag: number): Buffer => fields.get(tag)![0]!;
  assert.equal(only(1).readUInt16LE(0), 1);
  assert.deepEqual(texts(fields.get(2)), ['/state/runs/r1']);
  assert.deepEqual(texts(fields.get(3)), ['r1']);
  assert.deepEqual(only(4), Buffer.alloc(16, 7));
  assert.deepEqual(texts(fields.get(5)), ['{"a":1}']);
  assert.equal(only(6).readBigUInt64LE(0), 3n);
  assert.equal(
    only(7).toString('hex'),
    `0400000000000000${'63000000'}3930000000000000${'0400'}696e7374`,
  );
  assert.deepEqual(texts(fields.get(8)), ['echo', 'hi']);
  assert.deepEqual(texts(fields.get(9)), ['PATH=/bin', 'EMPTY=']);
  assert.deepEqual(texts(fields.get(10)), ['/tmp']);
  assert.equal(only(13).readUInt8(0), 0);
  assert.equal(only(20).readBigUInt64LE(0), 0n);
  assert.equal(only(21).readBigUInt64LE(0), 2500n);
  assert.equal(only(22).readUInt32LE(0), 5000);
  assert.equal(only(23).readUInt32LE(0), 1000);
  assert.equal(only(24).readUInt32LE(0), 10_000);
  assert.equal(only(25).readUInt8(0), 1);
  assert.equal(only(26).readUInt32LE(0), 15_000);
  assert.equal(only(27).readUInt8(0), 2);
  assert.equal(only(28).readUInt8(0), 1);
  assert.equal(only(28).readBigUInt64LE(1), 2n ** 40n);
  assert.equal(only(28).readBigUInt64LE(9), 2n ** 26n);
  for (const absent of [11, 12, 14, 15, 16, 17, 18, 19, 29, 30, 31, 32, 33])
    assert.equal(fields.has(absent), false);
});

test('everything optional is written when it is given', () => {
  const fields = fieldsOf(
    encodeSpawn(
      {
        ...plainRequest,
        file: '/bin/echo',
        pty: { cols: 80, rows: 24 },
        stdin: 'null',
        umask: 0o27,
        nice: -5,
        rlimits: [
          { resource: 7, soft: 1024, hard: 'unlimited' },
          { resource: 1, soft: 'unlimited', hard: 'unlimited' },
        ],
        user: { uid: 1000, gid: 1001, groups: [5, 6] },
        cgroup: { path: '/sys/fs/cgroup/x', memoryBytesMax: 2 ** 33, processesMax: undefined },
        oomScoreAdj: -900,
        cwdId: { device: 2n ** 32n, inode: 2n ** 64n - 1n },
        confine: {
          grants: [
            { path: '/srv/é', access: 'read', isOptional: false },
            { path: '/usr', access: 'execute', isOptional: true },
            { path: '/dev/null', access: 'write', isOptional: true },
          ],
        },
      },
      1,
    ),
  );
  const only = (tag: number): string => fields.get(tag)![0]!.toString('hex');
  assert.deepEqual(texts(fields.get(11)), ['/bin/echo']);
  assert.equal(only(12), '50001800');
  assert.equal(only(13), '01');
  assert.equal(only(14), '17000000');
  assert.equal(only(15), 'fbffffff');
  assert.equal(fields.get(16)!.length, 2);
  assert.equal(only(16), `07000000${'0004000000000000'}ffffffffffffffff`);
  assert.equal(only(17), 'e8030000e90300000500000006000000');
  assert.deepEqual(texts(fields.get(18)), ['/sys/fs/cgroup/x']);
  assert.equal(only(19), `0000000002000000${'0000000000000000'}`);
  assert.equal(only(29), '7cfcffff');
  assert.equal(only(32), `0000000001000000${'f'.repeat(16)}`);
  assert.equal(only(30), '');
  assert.deepEqual(texts(fields.get(31)), [
    '\0\0/srv/é',
    '\u0001\u0001/usr',
    '\u0002\u0001/dev/null',
  ]);
});

test('any argv and environment come out as UTF-8', () => {
  const word = fc
    .string({ unit: 'grapheme', maxLength: 50 })
    .map((text) => text.replaceAll('\0', '').toWellFormed());
  const name = word.map((text) => `N${text.replaceAll('=', '')}`);
  fc.assert(
    fc.property(fc.array(word), fc.dictionary(name, word), (args, env) => {
      const fields = fieldsOf(encodeSpawn({ ...plainRequest, argv: ['x', ...args], env }, 1));
      assert.deepEqual(texts(fields.get(8)), ['x', ...args]);
      assert.deepEqual(
        texts(fields.get(9)),
        Object.keys(env).map((key) => `${key}=${env[key]}`),
      );
    }),
  );
});

test('a shield is its bits and its steps, in their order', () => {
  const shield = {
    steps: [
      { kind: 'hide', path: '/é' },
      { kind: 'replace', path: '/tmp', source: '/t' },
      { kind: 'link', path: '/d/fd', target: 'x' },
    ],
    hasDomain: true,
  } as const;
  const field = (value: SpawnRequest['shield']): string =>
    fieldsOf(encodeSpawn({ ...plainRequest, shield: value }, 1))
      .get(33)![0]!
      .toString('latin1');
  assert.equal(
    field(shield),
    '\x03\x00\x03\x00/\xc3\xa9\x04\x04\x00/tmp\x02\x00/t\x05\x05\x00/d/fd\x01\x00x',
  );
  assert.equal(field({ steps: undefined, hasDomain: true }), '\x02');
  assert.equal(field({ steps: [], hasDomain: false, mark: 'ab' }), '\x01\x07\x02\x00ab');
  assert.equal(field({ steps: [], hasDomain: false }), '\x01');
});

test('a run that may reach nothing is confined all the same', () => {
  const fields = fieldsOf(encodeSpawn({ ...plainRequest, confine: { grants: [] } }, 1));
  assert.deepEqual([fields.has(30), fields.has(31)], [true, false]);
});

const grant = { path: '/srv', access: 'read', isOptional: false } as const;

test('a deadline of zero is due at once, and not "none"', () => {
  const fields = fieldsOf(encodeSpawn({ ...plainRequest, overallMs: 0 }, 1));
  assert.equal(fields.get(20)![0]!.readBigUInt64LE(0), 1n);
});

const wrong: Readonly<Record<string, Partial<SpawnRequest>>> = {
  'an empty run id': { runId: '' },
  'a run id of 32 bytes': { runId: 'é'.repeat(16) },
  'a short cookie': { cookie: Buffer.alloc(15) },
  'a relative run directory': { runDir: 'runs/1' },
  'a relative working directory': { cwd: '.' },
  'too much meta': { meta: Buffer.alloc(65_537) },
  'a NUL in an argument': { argv: ['a\0b'] },
  'a NUL in a value': { env: { A: 'x\0y' } },
  'an environment name with "="': { env: { 'A=B': 'x' } },
  'an empty environment name': { env: { '': 'x' } },
  'a grant on a relative path': { confine: { grants: [{ ...grant, path: 'srv' }] } },
  'a NUL in a grant': { confine: { grants: [{ ...grant, path: '/s\0rv' }] } },
  'a grant on a long path': { confine: { grants: [{ ...grant, path: `/${'é'.repeat(2048)}` }] } },
  'a shield of nothing': { shield: { steps: undefined, hasDomain: false } },
  'a mark without steps': { shield: { steps: undefined, hasDomain: true, mark: 'ab' } },
  'a relative step': { shield: { steps: [{ kind: 'hide', path: 'srv' }], hasDomain: true } },
  'a NUL in a step': { shield: { steps: [{ kind: 'hide', path: '/s\0' }], hasDomain: true } },
  'a relative source': {
    shield: { steps: [{ kind: 'replace', path: '/tmp', source: 't' }], hasDomain: true },
  },
  'too many steps': {
    shield: {
      steps: Array.from({ length: 257 }, () => ({ kind: 'hide', path: '/a' }) as const),
      hasDomain: true,
    },
  },
  'too many grants': { confine: { grants: Array.from({ length: 65 }, () => grant) } },
};
for (const [name, change] of Object.entries(wrong)) {
  test(`${name} is refused`, () => {
    assert.throws(() => encodeSpawn({ ...plainRequest, ...change }, 1), { code: 'spawn-invalid' });
  });
}

test('a request beyond the largest message is refused', () => {
  const env = { BIG: 'x'.repeat(1024 * 1024) };
  assert.throws(() => encodeSpawn({ ...plainRequest, env }, 1), { code: 'message-invalid' });
});
