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

test('of a turn whose beginning is on an older page the end says what the gateway knows, and more when that page is here', () => {
  const diff = [{ type: 'diff', path: 'a', oldText: '', newText: 'b' }];
  const turn = eventsOf(40)
    .filter(({ turn_id: of }) => of === 'turn-000001')
    .map((event) =>
      event.payload['toolCallId'] === 'tool-0' && event.payload['status'] === 'completed'
        ? { ...event, payload: { ...event.payload, content: diff } }
        : event,
    );
  const [said] = turn;
  const [older, newer] = [turn.slice(0, 8), turn.slice(8)].map((part) => joinBlocks([], part));
  assert.ok(said !== undefined && older !== undefined && newer !== undefined);
  const make = createRowMaker();
  const endOf = (source: Parameters<typeof make>[0]) => {
    const row = make(source).at(-1);
    return row?.kind === 'end' ? [row.end.since, row.end.hasChanges] : row?.kind;
  };
  const part = { blocks: newer, hasOlder: true, gaps: [] };
  assert.deepEqual(endOf(part), [undefined, undefined]);
  const told = [{ id: 'turn-000001', started_at: said.at }];
  assert.deepEqual(endOf({ ...part, turns: told }), [said.at, undefined]);
  const whole = { blocks: mergeBlocks(older, newer), ...nothingElse };
  assert.deepEqual(endOf(whole), [said.at, true]);
});

test('that a message waits is not the beginning of its turn', () => {
  const [said, ...rest] = eventsOf(40).filter(({ turn_id: of }) => of === 'turn-000001');
  assert.ok(said !== undefined);
  const payload = { event: 'queued', position: 1 };
  const waits = { ...said, type: 'status', payload, at: '2026-10-31T00:00:00.000Z', seq: 0 };
  const rows = createRowMaker()({ blocks: joinBlocks([], [waits, said, ...rest]), ...nothingElse });
  const end = rows.at(-1);
  assert.equal(end?.kind === 'end' && end.end.since, said.at);
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
