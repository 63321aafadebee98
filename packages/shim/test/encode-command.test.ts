/*
 * Every command's bytes, against the table of docs/protocol/shim.md.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Command, encodeCommand } from '../src/wire/encode-command.ts';

const epoch = '0500000000000000';
const allOnes = 'ffffffffffffffff';

const cases: readonly (readonly [string, Command, number, string])[] = [
  ['auth', { type: 'auth', cookie: Buffer.alloc(16, 0xab) }, 2, `0100${'ab'.repeat(16)}`],
  [
    'claim',
    { type: 'claim', epoch: 5, generation: 2, pid: 258, startTicks: 3, instance: 'i1' },
    3,
    `${epoch}0200000000000000${'02010000'}0300000000000000${'0200'}6931`,
  ],
  [
    'deadlines',
    { type: 'deadlines', epoch: 5, overallMs: 256, noOutputMs: 'keep' },
    4,
    `${epoch}0001000000000000${allOnes}`,
  ],
  [
    'deadlines taken away, or due',
    { type: 'deadlines', epoch: 5, overallMs: 'none', noOutputMs: 0 },
    4,
    `${epoch}00000000000000000100000000000000`,
  ],
  ['policy', { type: 'policy', epoch: 5, ownerLoss: 'kill', leftovers: 'keep' }, 5, `${epoch}0102`],
  ['release', { type: 'release', epoch: 5 }, 6, epoch],
  [
    'input',
    { type: 'input', epoch: 5, offset: 2 ** 32, bytes: Buffer.from('hi') },
    7,
    `${epoch}00000000010000006869`,
  ],
  [
    'typed input',
    { type: 'input', epoch: 5, offset: 'typed', bytes: Buffer.from('q') },
    7,
    `${epoch}${allOnes}71`,
  ],
  ['end of input', { type: 'eof', epoch: 5, offset: 9 }, 8, `${epoch}0900000000000000`],
  ['end of input now', { type: 'eof', epoch: 5, offset: 'now' }, 8, `${epoch}${allOnes}`],
  ['resize', { type: 'resize', epoch: 5, cols: 300, rows: 40 }, 9, `${epoch}2c012800`],
  ['hold-size', { type: 'hold-size', epoch: 5, cols: 45, rows: 30 }, 15, `${epoch}2d001e00`],
  ['signal', { type: 'signal', epoch: 5, number: 2, actor: 'me' }, 10, `${epoch}0200000002006d65`],
  [
    'terminate',
    { type: 'terminate', epoch: 5, reason: 'owner-lost', graceMs: 16, actor: 'é' },
    11,
    `${epoch}0710000000${'0200'}c3a9`,
  ],
  [
    "terminate with the run's own grace",
    { type: 'terminate', epoch: 5, reason: 'manual-cancel', actor: '' },
    11,
    `${epoch}02ffffffff0000`,
  ],
  ['watch', { type: 'watch' }, 12, ''],
  ['consumed', { type: 'consumed', epoch: 5, offset: 128 }, 13, `${epoch}8000000000000000`],
  ['attach', { type: 'attach', epoch: 5, isAttached: true }, 14, `${epoch}01`],
  ['detach', { type: 'attach', epoch: 5, isAttached: false }, 14, `${epoch}00`],
];

for (const [name, command, type, payload] of cases) {
  test(`${name} has the documented bytes`, () => {
    const message = encodeCommand(command, 0x0102_0304);
    assert.equal(message.readUInt32LE(0), message.length - 4);
    assert.equal(message.readUInt32LE(4), type);
    assert.equal(message.readUInt32LE(8), 0x0102_0304);
    assert.equal(message.subarray(12).toString('hex'), payload);
  });
}

test('an epoch beyond 2^53 is refused, not rounded', () => {
  assert.throws(() => encodeCommand({ type: 'release', epoch: 2 ** 53 }, 1), RangeError);
});
