/*
 * E5: what a new gateway needs to control an old shim never changes. These bytes are version 1, written out; a test that
 * fails here says that runs started before an upgrade would be lost by it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSegmentHeader } from '../src/journal/segment-header.ts';
import { encodeCommand } from '../src/wire/encode-command.ts';
import { createFrameDecoder } from '../src/wire/frame-decoder.ts';
import { parseAnswer } from '../src/wire/parse-answer.ts';

const cookie = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');

test('E5: AUTH, CLAIM and TERMINATE are the bytes of version 1', () => {
  assert.equal(
    encodeCommand({ type: 'auth', cookie }, 7).toString('hex'),
    '1a00000002000000070000000100000102030405060708090a0b0c0d0e0f',
  );
  const owner = { generation: 4, pid: 5, startTicks: 6, instance: 'ab' };
  assert.equal(
    encodeCommand({ type: 'claim', epoch: 3, ...owner }, 8).toString('hex'),
    '2800000003000000080000000300000000000000040000000000000005000000060000000000000002006162',
  );
  const asked = { reason: 'manual-cancel', graceMs: 500, actor: 'me' } as const;
  assert.equal(
    encodeCommand({ type: 'terminate', epoch: 3, ...asked }, 9).toString('hex'),
    '190000000b00000009000000030000000000000002f401000002006d65',
  );
});

test('E5: HELLO and REFUSED of version 1 are understood', () => {
  const hello = '34000000400000000700000001000103' + '0300000000000000' + '0500000000000000';
  const rest = '0600000000000000' + 'e803000000000000' + '0a000000' + '0b000000';
  assert.deepEqual(answerOf(hello + rest), {
    type: 'hello',
    version: 1,
    state: 'running',
    isPty: true,
    isStdinOpen: true,
    isBlocked: false,
    epoch: 3,
    inputOffset: 5,
    typedBytes: 6,
    journalLength: 1000,
    shimPid: 10,
    rootPid: 11,
  });
  const refused = '1600000047000000070000000400' + '0600000000000000' + '02006869';
  assert.deepEqual(answerOf(refused), {
    type: 'refused',
    refusal: 'stale-epoch',
    epoch: 6,
    message: 'hi',
  });
});

test('E5: the header of a segment of version 1 is understood', () => {
  const bytes = Buffer.from(
    [
      '434c464a524e4c31' + '0100' + '8000' + '00000000',
      '0002000000000000' + '00407a10f35a0000',
      '0123456789abcdef0123456789abcdef',
      '000102030405060708090a0b0c0d0e0f',
      '72756e2d31'.padEnd(64, '0'),
      'fcffffef00000000' + '00'.repeat(20) + 'CRC',
    ]
      .join('')
      .replace('CRC', headerCrc),
    'hex',
  );
  const header = parseSegmentHeader(bytes);
  assert.equal(header?.runId, 'run-1');
  assert.equal(header.base, 512);
  assert.equal(header.bootId, '01234567-89ab-cdef-0123-456789abcdef');
  assert.deepEqual(Buffer.from(header.cookie), cookie);
  assert.equal(header.pidNs, 4_026_531_836);
});

const headerCrc = '7aa59c57';

function answerOf(hex: string): unknown {
  const answers: unknown[] = [];
  createFrameDecoder().push(Buffer.from(hex, 'hex'), (frame) => answers.push(parseAnswer(frame)));
  return answers[0];
}
