/*
 * What happened while its reader was away, in words.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isWorthTelling,
  type Receipt,
  receiptDetails,
  receiptLines,
  receiptSummary,
} from '../../src/thread/receipt/receipt-lines.ts';

const receipt = {
  thread_id: 't',
  since: 100,
  through: 412,
  newest_seq: 412,
  is_complete: true,
  since_at: '2026-11-01T08:00:00.000Z',
  last_at: '2026-11-01T10:00:00.000Z',
  now: '2026-11-01T10:14:00.000Z',
  away_ms: 8_040_000,
  events: 312,
  bytes: 48_200,
  checksum: 'a'.repeat(64),
  missing: [],
  gateways: [
    {
      instance_id: 'g',
      starts: 1,
      first_generation: 42,
      last_generation: 42,
      last_started_at: '2026-11-01T09:00:00.000Z',
    },
  ],
  files: [],
  files_total: 3,
  added: 120,
  removed: 18,
  files_are_partial: false,
  decisions: [
    {
      seq: 200,
      ask_id: 'a',
      turn_id: null,
      class: 'approval',
      answer: 'allow',
      by: 'device:1',
      by_name: 'laptop',
      at: '2026-11-01T09:00:00.000Z',
    },
  ],
  decisions_total: 1,
  turns: [],
  turns_total: 0,
  state: { status: 'running', running_turn_id: 'x', waiting_turns: 0, open_asks: 1 },
} as const satisfies Receipt;

const proven = { isProven: true, events: 312, bytes: 48_200, checksum: '', missing: [] };

test('it says how long, what was restarted, that all was received, what changed, who decided, and how it stands', () => {
  assert.deepEqual(
    receiptLines(receipt, proven).map(({ text }) => text),
    [
      'Away 2 h 14 min',
      'The gateway was restarted once; nothing is lost',
      'All of it is here ✓',
      '3 files +120 −18',
      '1 approval given by laptop',
      'Now: waiting for you',
    ],
  );
  assert.deepEqual(receiptDetails(receipt, proven), [
    '312 events, 48 kB',
    'Their checksum is that of the gateway',
    'Gateway generation 41 → 42',
  ]);
  assert.equal(receiptSummary(receipt, proven), 'Away 2 h 14 min · all of it is here ✓');
});

test('each line leads to where it happened: absence, restart, decision and the ends of turns', () => {
  const ended_at = '2026-11-01T09:30:00.000Z';
  const turn = {
    turn_id: 't',
    status: 'completed',
    code: 'success',
    cause: null,
    ended_at,
  } as const;
  const failed = { ...turn, status: 'failed', code: 'error' } as const;
  const turns = [failed, { ...turn, ended_at: '2026-11-01T10:00:00.000Z' }];
  const files = [{ path: 'a', kind: 'edited', added: 1, removed: 0, last_seq: 205 }];
  const full = { ...receipt, turns, turns_total: 2, files } as unknown as Receipt;
  const seqs = new Map([
    ['2026-11-01T09:00:00.000Z', 150],
    [ended_at, 300],
    ['2026-11-01T10:00:00.000Z', 412],
  ]);
  const lines = receiptLines(full, proven, (at) => seqs.get(at));
  assert.deepEqual(
    lines.map(({ seq }) => seq),
    [101, 150, 101, 205, 200, 412, 300, 412],
  );
});

test('what was not received is named by its numbers, and is not called proven', () => {
  const missing = [
    { from: 120, to: 122 },
    { from: 300, to: 300 },
  ];
  const unproven = { ...proven, isProven: false, missing };
  const lines = receiptLines(receipt, unproven);
  const line = lines.find(({ mood }) => mood === 'bad');
  assert.equal(line?.text, 'Not all of it is here. Not received: 120–122, 300');
  assert.equal(line?.seq, 120);
  const said = [
    receiptSummary(receipt, unproven),
    ...receiptDetails(receipt, unproven),
    ...lines.map(({ text }) => text),
  ];
  assert.doesNotMatch(said.join('\n'), /^All of it|· all of it|nothing is lost|checksum/m);
});

test('an event that is changed is told as such, and what the gateway lost is told apart', () => {
  const changed = receiptLines(receipt, { ...proven, isProven: false });
  assert.match(changed[2]?.text ?? '', /^One event is not as the gateway has it/);
  const lost = receiptLines({ ...receipt, missing: [{ from: 7, to: 7 }] }, proven);
  assert.ok(lost.some(({ text }) => text === 'The gateway itself does not have: 7'));
});

test('a minute, or a second turn, makes an absence; nothing new makes none', () => {
  assert.equal(isWorthTelling(receipt), true);
  assert.equal(isWorthTelling({ ...receipt, away_ms: 59_000, turns_total: 1 }), false);
  assert.equal(isWorthTelling({ ...receipt, away_ms: 59_000, turns_total: 2 }), true);
  assert.equal(isWorthTelling({ ...receipt, events: 0 }), false);
});

test('that a waiting agent was closed meanwhile is nothing to come back to; a turn under way is', () => {
  const state = { status: 'ready', running_turn_id: null, waiting_turns: 0, open_asks: 0 } as const;
  const idle = { ...receipt, files_total: 0, decisions_total: 0, events: 2, state };
  assert.equal(isWorthTelling(idle), false);
  assert.equal(isWorthTelling({ ...idle, turns_total: 1 }), true);
  assert.equal(isWorthTelling({ ...idle, state: { ...state, running_turn_id: 'x' } }), true);
  assert.equal(isWorthTelling({ ...idle, missing: [{ from: 7, to: 7 }] }), true);
});
