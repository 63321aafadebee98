/*
 * What a conversation is drawn as: rows from blocks, the same wherever its pages are cut.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinBlocks, mergeBlocks, type ShownEvent } from '@clawdfather/protocol/history';
import { createRowMaker } from '../../src/thread/rows/make-rows.ts';
import { ordinaryEvents } from '../support/fill-thread.ts';

const nothingElse = { hasOlder: false, gaps: [] };

function eventsOf(count: number): readonly ShownEvent[] {
  return ordinaryEvents(count).map(({ type, payload, turnId = null }, index) => ({
    seq: index + 1,
    turn_id: turnId,
    type,
    payload,
    at: new Date(Date.UTC(2026, 10, 1) + index * 1_000).toISOString(),
  }));
}

test('a turn is what was said, the thought, the tools as one card, the pieces of the answer, and the end', () => {
  const turn = eventsOf(40).filter(({ turn_id: of }) => of === 'turn-000001');
  const rows = createRowMaker()({ blocks: joinBlocks([], turn), ...nothingElse });
  const kinds = rows.map((row) => (row.kind === 'tool' ? `tool ${row.edge}` : row.kind));
  assert.deepEqual(kinds, [
    'said',
    'thought',
    'tool first',
    'tool middle',
    'tool last',
    // The title, a paragraph, the list, the code, the table, the last line.
    ...Array.from({ length: 6 }, () => 'piece'),
    'end',
  ]);
  assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length);
});

test('while a text grows, every row but those of its last stretch is the very same', () => {
  const make = createRowMaker();
  const events = eventsOf(15);
  const before = make({ blocks: joinBlocks([], events.slice(0, 14)), ...nothingElse });
  const blocks = joinBlocks(joinBlocks([], events.slice(0, 14)), events.slice(14));
  const after = make({ blocks, ...nothingElse });
  const pieces = after.filter(({ kind }) => kind === 'piece');
  assert.ok(pieces.length >= 2);
  for (const [index, row] of before.entries()) {
    if (row.kind === 'piece' && index < before.length - 1) assert.equal(after[index], row);
  }
});

test('an older page in front changes no key of what is there, and a text waits for its beginning', () => {
  const make = createRowMaker();
  const events = eventsOf(200);
  const newer = joinBlocks([], events.slice(100));
  const older = joinBlocks([], events.slice(0, 100));
  const first = make({ blocks: newer, hasOlder: true, gaps: [] });
  const all = make({ blocks: mergeBlocks(older, newer), hasOlder: false, gaps: [] });
  const keys = all.map(({ key }) => key);
  assert.deepEqual(
    first.map(({ key }) => key),
    keys.slice(-first.length),
  );
});

test('an agent that was closed on purpose is told in calm words; one that ended by itself is not', () => {
  const ended = (facts: object) => ({
    event: 'agent-ended',
    message: 'it ended by SIGTERM',
    ...facts,
  });
  const payloads = [
    ended({ reason: 'manual-cancel', closing: 'archived' }),
    ended({ reason: 'manual-cancel' }),
    ended({ reason: 'exit', closing: 'session-closed' }),
    ended({ reason: 'signal' }),
    ended({ reason: 'manual-cancel', closing: 'no-handshake' }),
  ];
  const at = new Date(Date.UTC(2026, 10, 1)).toISOString();
  const events = payloads.map((payload, index) => ({
    seq: index + 1,
    turn_id: null,
    type: 'status',
    payload,
    at,
  }));
  const rows = createRowMaker()({ blocks: joinBlocks([], events), ...nothingElse });
  assert.deepEqual(
    rows.map((row) => (row.kind === 'note' ? [row.mood, row.text] : row.kind)),
    [
      ['plain', 'Put away; its agent was closed.'],
      ['plain', 'Its agent was closed.'],
      ['plain', 'Its session was closed, and its agent with it.'],
      ['bad', 'it ended by SIGTERM'],
      ['bad', 'it ended by SIGTERM'],
    ],
  );
});

test('a gap is a row with its numbers, between what is there', () => {
  const events = eventsOf(20).filter(({ seq }) => seq !== 3 && seq !== 4);
  const blocks = joinBlocks([], events);
  const rows = createRowMaker()({ blocks, hasOlder: false, gaps: [{ from: 3, to: 4 }] });
  const gap = rows.findIndex(({ kind }) => kind === 'gap');
  assert.ok(gap > 0);
  assert.deepEqual([rows[gap]?.firstSeq, rows[gap]?.lastSeq], [3, 4]);
  assert.ok((rows[gap + 1]?.firstSeq ?? 0) > 4);
});

test('what is not known is shown as it came, and facts for programs are not', () => {
  const at = '2026-11-01T00:00:00.000Z';
  const event = (seq: number, type: string, payload = {}) => ({
    seq,
    turn_id: null,
    type,
    payload,
    at,
  });
  const blocks = joinBlocks(
    [],
    [
      event(1, 'usage', { totalTokens: 1 }),
      event(2, 'status', { update: 'current_mode_update' }),
      event(3, 'dream', { of: 'sheep' }),
      event(4, 'noise', { stream: 'stderr', text: 'warning' }),
    ],
  );
  const rows = createRowMaker()({ blocks, hasOlder: false, gaps: [] });
  assert.deepEqual(
    rows.map(({ kind, firstSeq }) => [kind, firstSeq]),
    [
      ['raw', 3],
      ['raw', 4],
    ],
  );
});
