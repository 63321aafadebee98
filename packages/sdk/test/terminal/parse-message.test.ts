/*
 * Every message of a run's socket, and what a terminal makes of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RunServerMessage, runServerMessageSchema } from '@clawdfather/protocol/api';
import { type Heard, parseMessage } from '../../src/terminal/parse-message.ts';
import { binaryMessage, exit, run } from './messages.ts';

const run_id = 'r1';

const heard: readonly (readonly [message: RunServerMessage, Heard])[] = [
  [{ type: 'heartbeat_ack', server_time: '2026-01-01T00:00:00.000Z' }, { kind: 'beat' }],
  [
    {
      type: 'error',
      code: 'forbidden',
      message: 'no',
      about: 'terminal.input',
      input_id: '7',
    },
    { kind: 'refused', about: 'terminal.input', inputId: '7', code: 'forbidden', message: 'no' },
  ],
  [
    { type: 'error', code: 'x', message: 'y' },
    { kind: 'refused', about: undefined, inputId: undefined, code: 'x', message: 'y' },
  ],
  [
    { type: 'terminal.attached', run_id, cursor: '3.1', as: 'viewer' },
    { kind: 'attached', cursor: '3.1' },
  ],
  [
    { type: 'terminal.data', run_id, cursor: '4.0', stream: 'stderr', bytes: 'AP9h' },
    {
      kind: 'event',
      event: { kind: 'output', stream: 'stderr', bytes: Uint8Array.of(0, 255, 97), cursor: '4.0' },
    },
  ],
  [
    { type: 'terminal.answers', run_id, cursor: '5.0' },
    { kind: 'event', event: { kind: 'answers', isOurs: true, cursor: '5.0' } },
  ],
  [
    { type: 'terminal.resized', run_id, cols: 80, rows: 24, cursor: '6.0' },
    { kind: 'event', event: { kind: 'resize', cols: 80, rows: 24, cursor: '6.0' } },
  ],
  [
    { type: 'terminal.fitted', run_id, size: { cols: 45, rows: 28 } },
    { kind: 'fitted', size: { cols: 45, rows: 28 } },
  ],
  [
    { type: 'terminal.fitted', run_id, size: null },
    { kind: 'fitted', size: undefined },
  ],
  [
    { type: 'terminal.input_ack', run_id, input_id: 'a' },
    { kind: 'acknowledged', inputId: 'a' },
  ],
  [
    { type: 'gap', run_id, from: '1.0', to: '7.0', missed_bytes: 9 },
    { kind: 'event', event: { kind: 'gap', missedBytes: 9, cursor: '7.0' } },
  ],
  [
    { type: 'damaged', run_id, from: '7.0', to: '8.0', missed_bytes: 2 },
    { kind: 'event', event: { kind: 'damaged', missedBytes: 2, cursor: '8.0' } },
  ],
  [
    { type: 'tail_lost', run_id, cursor: '9.0', missed_bytes: 0 },
    { kind: 'event', event: { kind: 'tail-lost', missedBytes: 0, cursor: '9.0' } },
  ],
  [
    { type: 'run_ended', run_id, exit },
    { kind: 'ended', exit },
  ],
  [{ type: 'approved', approval_id: 'x', state: 'allowed' }, { kind: 'nothing' }],
  [{ type: 'run', run }, { kind: 'nothing' }],
];

test('every documented message has a meaning', () => {
  for (const [message, meaning] of heard) {
    assert.deepEqual(parseMessage(JSON.stringify(message)), meaning, message.type);
    assert.deepEqual(
      parseMessage(JSON.stringify({ ...message, newer: 1 })),
      meaning,
      'more fields',
    );
  }
  const types = new Set(heard.map(([{ type }]) => type));
  for (const { shape } of runServerMessageSchema.options) {
    assert.ok(types.has(shape.type.value), `${shape.type.value} is tried here`);
  }
});

test('what a newer gateway says is skipped, what is broken is not', () => {
  for (const text of ['{"type":"something.newer"}', '{}', '[]', 'null', '1', '{"type":3}']) {
    assert.deepEqual(parseMessage(text), { kind: 'nothing' }, text);
  }
  const broken = [
    'not json',
    '',
    '{"type":"terminal.data","run_id":"r1","cursor":"1.0","stream":"stdout","bytes":"%"}',
    '{"type":"terminal.data","run_id":"r1","cursor":"1.0","stream":"stdin","bytes":""}',
    '{"type":"run_ended","run_id":"r1"}',
    '{"type":"terminal.input_ack"}',
  ];
  for (const text of broken) {
    assert.throws(() => parseMessage(text), { code: 'answer-invalid' }, text);
  }
  for (const data of [undefined, new Uint8Array(8), Buffer.alloc(8)]) {
    assert.throws(() => parseMessage(data), { code: 'answer-invalid' });
  }
});

test('binary output has stream, cursor and bytes', () => {
  for (const [stream, name] of [
    [1, 'stdout'],
    [2, 'stderr'],
  ] as const) {
    const bytes = Uint8Array.of(0, 27, 255);
    assert.deepEqual(parseMessage(binaryMessage('12.34', bytes, { stream })), {
      kind: 'event',
      event: { kind: 'output', stream: name, bytes, cursor: '12.34' },
    });
  }
  const empty = parseMessage(binaryMessage('1.0', new Uint8Array(0)));
  assert.ok(empty.kind === 'event' && empty.event.kind === 'output');
  assert.equal(empty.event.bytes.length, 0);
});

test('binary messages of other kinds are skipped, cut ones are not', () => {
  const newer = binaryMessage('1.0', Uint8Array.of(1), { kind: 2 });
  assert.deepEqual(parseMessage(newer), { kind: 'nothing' });
  const whole = binaryMessage('1.0', new Uint8Array(0));
  for (let length = 0; length < whole.byteLength; length += 1) {
    const cut = whole.slice(0, length);
    assert.throws(() => parseMessage(cut), { code: 'answer-invalid' }, `${length} bytes`);
  }
  const wrong = binaryMessage('1.0', new Uint8Array(0), { stream: 3 });
  assert.throws(() => parseMessage(wrong), { code: 'answer-invalid' });
});
