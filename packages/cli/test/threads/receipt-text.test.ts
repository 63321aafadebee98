/*
 * A receipt for people, by example: what is proven, what is missing, and several parts as one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaint } from '../../src/render/paint.ts';
import { joinParts, type Receipt, type ReceiptPart } from '../../src/threads/read-receipt.ts';
import { formatRanges, formatReceipt } from '../../src/threads/receipt-text.ts';

const at = '2026-11-18T00:00:00.000Z';
const file = {
  path: 'a.ts',
  is_new: false,
  is_done: true,
  edits: 1,
  last_seq: 4,
  kind: 'text',
  added: 3,
  removed: 1,
  bytes: null,
  sha256: null,
} as const;
const receipt: Receipt = {
  thread_id: 'thread0000000000',
  since: 2,
  through: 5,
  newest_seq: 5,
  is_complete: true,
  since_at: at,
  last_at: at,
  now: at,
  away_ms: 7_380_000,
  events: 3,
  bytes: 2_048,
  checksum: 'c'.repeat(64),
  missing: [],
  gateways: [
    {
      instance_id: 'gate',
      starts: 2,
      first_generation: 4,
      last_generation: 5,
      last_started_at: at,
    },
  ],
  files: [file, { ...file, path: 'long/\u202eb.bin', kind: 'binary', added: null, removed: null }],
  files_total: 2,
  added: 3,
  removed: 1,
  files_are_partial: true,
  decisions: [
    {
      seq: 4,
      ask_id: 'ask1',
      turn_id: 'turn1',
      class: 'approval',
      answer: 'allow_once',
      by: 'device:1',
      by_name: 'my phone',
      at,
    },
  ],
  decisions_total: 1,
  turns: [
    { turn_id: 'turn1', status: 'completed', code: 'success', cause: null, ended_at: at },
    {
      turn_id: 'turn2',
      status: 'interrupted',
      code: 'error',
      cause: 'out-of-memory',
      ended_at: at,
    },
  ],
  turns_total: 2,
  state: { status: 'running', running_turn_id: 'turn3', waiting_turns: 2, open_asks: 1 },
};
const proof = { isProven: true, events: 3, bytes: 2_048, checksum: receipt.checksum, missing: [] };
const part: ReceiptPart = { receipt, proof };
const look = { title: 'Fix it', isSinceSeen: true, paint: createPaint(false) };

test('one line for each fact', () => {
  assert.equal(
    formatReceipt(joinParts(part, [part]), look),
    `Thread     thread0000000000 Fix it
Since      event 2, the last that you have seen
Away       2h3m
Gateway    started 2 times, generations 4 to 5 (gate)
Events     3, 2K: all received ✓
Checksum   ${'c'.repeat(64)}
Files      2 changed, +3 −1, and some that are not counted
           a.ts              +3 −1
           long/\\u202eb.bin  binary
Decisions  my phone answered "allow_once" to ask1 (event 4)
Turns      turn1 completed
           turn2 interrupted: error, out-of-memory
Now        running, 2 turns wait, 1 ask is open: clf approvals
`,
  );
});

test('what is missing is named, and what is not as it was counted is not called received', () => {
  const missing = [
    { from: 3, to: 3 },
    { from: 5, to: 9 },
  ];
  const lost = { receipt, proof: { ...proof, isProven: false, events: 2, missing } };
  assert.match(formatReceipt(joinParts(lost, [lost]), look), /2 received, missing: 3, 5–9\n/);
  const altered = { receipt, proof: { ...proof, isProven: false } };
  const text = formatReceipt(joinParts(altered, [altered]), look);
  assert.match(text, /not as the gateway counts them/);
  assert.doesNotMatch(text, /✓/);
  const many = Array.from({ length: 30 }, (_, index) => ({ from: index * 2, to: index * 2 }));
  assert.match(formatRanges(many), /^0, 2, .*38, …$/);
});

test('parts are one: a file counts once, and one unproven part unproves all', () => {
  const next = { ...receipt, since: 5, through: 8, files: [file], files_total: 1 };
  const whole = joinParts(part, [part, { receipt: next, proof }]);
  assert.equal(whole.isProven, true);
  assert.deepEqual([whole.events, whole.received, whole.filesTotal], [6, 6, 2]);
  assert.deepEqual([whole.files[0]?.added, whole.files[0]?.edits], [6, 2]);
  assert.equal(whole.files[1]?.added, null);
  assert.match(formatReceipt(whole, look), /Checksum {3}c+ of 3–5\n {11}c+ of 6–8\n/);
  const unproven = { receipt: next, proof: { ...proof, isProven: false } };
  assert.equal(joinParts(part, [part, unproven]).isProven, false);
  const unfinished = { receipt: { ...receipt, is_complete: false }, proof };
  assert.equal(joinParts(unfinished, [unfinished]).isProven, false);
});

test('nothing has happened', () => {
  const quiet: Receipt = {
    ...receipt,
    since: 0,
    through: 0,
    away_ms: null,
    events: 0,
    gateways: [],
    files: [],
    files_total: 0,
    decisions: [],
    decisions_total: 0,
    turns: [],
    turns_total: 0,
    state: { status: 'ready', running_turn_id: null, waiting_turns: 0, open_asks: 0 },
  };
  const none = { receipt: quiet, proof: { ...proof, events: 0 } };
  const text = formatReceipt(joinParts(none, [none]), look);
  assert.match(text, /Since {6}the beginning: you have seen nothing of it yet\n/);
  assert.match(text, /Gateway {4}not restarted\nEvents {5}none\n/);
  assert.match(text, /Decisions {2}none\nTurns {6}none ended\nNow {8}ready\n$/);
});
