/*
 * Answers: what the bytes of docs/protocol/shim.md mean, and that nothing else gets through.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ShimError } from '../src/errors.ts';
import { parseAnswer } from '../src/wire/parse-answer.ts';
import { endJson, exitJson, startJson } from './journal-writer.ts';

const parse = (type: number, payload: Buffer) => parseAnswer({ type, id: 1, payload });
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function withLengthAndJson(journalLength: bigint, value: unknown, rest = Buffer.alloc(0)): Buffer {
  const text = json(value);
  const head = Buffer.alloc(12);
  head.writeBigUInt64LE(journalLength, 0);
  head.writeUInt32LE(text.length, 8);
  return Buffer.concat([head, text, rest]);
}

test('HELLO', () => {
  const payload = Buffer.alloc(44);
  payload.writeUInt16LE(1, 0);
  payload.writeUInt8(3, 2);
  payload.writeUInt8(1 | 4, 3);
  payload.writeBigUInt64LE(7n, 4);
  payload.writeBigUInt64LE(2n ** 40n, 12);
  payload.writeBigUInt64LE(9n, 20);
  payload.writeBigUInt64LE(10n, 28);
  payload.writeUInt32LE(11, 36);
  payload.writeUInt32LE(12, 40);
  assert.deepEqual(parse(64, payload), {
    type: 'hello',
    version: 1,
    state: 'exited',
    isPty: true,
    isStdinOpen: false,
    isBlocked: true,
    epoch: 7,
    inputOffset: 2 ** 40,
    typedBytes: 9,
    journalLength: 10,
    shimPid: 11,
    rootPid: 12,
  });
});

test('STARTED, DOORBELL, EXIT', () => {
  const started = parse(65, json(startJson));
  assert.equal(started?.type === 'started' && started.start.shimStartTicks, 990);
  const doorbell = Buffer.alloc(8);
  doorbell.writeBigUInt64LE(4096n);
  const plain = { type: 'doorbell', journalLength: 4096, tail: undefined };
  assert.deepEqual(parse(66, doorbell), plain);
  const tail = Buffer.from('frames');
  assert.deepEqual(parse(66, Buffer.concat([doorbell, tail])), { ...plain, tail });
  const exit = parse(67, withLengthAndJson(55n, { exit: { ...exitJson, code: null, signal: 9 } }));
  assert.ok(exit?.type === 'exit');
  assert.equal(exit.journalLength, 55);
  assert.equal(exit.exit.code, undefined);
  assert.equal(exit.exit.signal, 9);
});

test('END with and without the journal', () => {
  const records = { exit: exitJson, end: { ...endJson, reason: 'not invented yet' } };
  const bare = parse(68, withLengthAndJson(1n, records));
  assert.ok(bare?.type === 'end');
  assert.equal(bare.journal, undefined);
  assert.equal(bare.end.isFinal, true);
  assert.equal(bare.end.reason, 'unknown', 'a cause of a newer shim is not ours to guess');
  const full = parse(68, withLengthAndJson(1n, records, Buffer.from('journal')));
  assert.equal(full?.type === 'end' && full.journal?.toString(), 'journal');
});

test('a failed start says whether END follows', () => {
  const claim = parse(69, json({ stage: 'claim', errno: 2, message: 'gone' }));
  assert.ok(claim?.type === 'spawn-error' && !claim.endFollows);
  const exec = parse(69, json({ stage: 'exec', errno: 2, message: 'no such file' }));
  assert.ok(exec?.type === 'spawn-error' && exec.endFollows);
});

test('OK, REFUSED, BLOCKED, SHIM_LOST, SPAWND_HELLO', () => {
  const ok = Buffer.alloc(25);
  ok.writeBigUInt64LE(3n, 0);
  ok.writeBigUInt64LE(4n, 8);
  ok.writeUInt8(1, 16);
  ok.writeBigUInt64LE(5n, 17);
  assert.deepEqual(parse(70, ok), {
    type: 'ok',
    epoch: 3,
    inputOffset: 4,
    answersQueries: true,
    terminalPlace: 0,
    journalLength: 5,
  });
  const refused = Buffer.from('04000600000000000000020068690000', 'hex');
  assert.deepEqual(parse(71, refused), {
    type: 'refused',
    refusal: 'stale-epoch',
    epoch: 6,
    message: 'hi',
  });
  assert.deepEqual(parse(72, json({ blocked: true, why: 'ENOSPC', errno: 28 })), {
    type: 'blocked',
    isBlocked: true,
    why: 'ENOSPC',
    errno: 28,
  });
  assert.deepEqual(parse(73, json({ shimPid: 5, signal: 9, swept: 2, left: 1 })), {
    type: 'shim-lost',
    shimPid: 5,
    signal: 9,
    swept: 2,
    left: 1,
  });
  const hello = { version: 1, pid: 3, startTicks: 4, bootId: 'b', pidNs: 5 };
  assert.deepEqual(parse(74, json(hello)), { type: 'spawnd-hello', ...hello });
});

test('a refusal and a type that we do not know', () => {
  const refused = Buffer.alloc(12);
  refused.writeUInt16LE(99, 0);
  const answer = parse(71, refused);
  assert.equal(answer?.type === 'refused' && answer.refusal, 'unknown');
  assert.equal(parse(200, Buffer.alloc(4)), undefined);
});

test('whatever comes, it is an answer, nothing, or a coded error', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 80 }),
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
        fc.json().map((text) => Buffer.from(text)),
        fc.json().map((text) => withLengthAndJson(0n, JSON.parse(text))),
      ),
      (type, payload) => {
        try {
          parse(type, payload);
        } catch (error) {
          assert.ok(error instanceof ShimError && error.code === 'message-invalid');
        }
      },
    ),
    { numRuns: 500 },
  );
});
