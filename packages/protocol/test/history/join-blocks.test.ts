/*
 * Blocks are the same wherever a thread is cut into pages, and a text is whole: its length and hash are those that its end tells.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Block,
  type Facts,
  joinBlocks,
  type LoggedEvent,
  mergeBlocks,
  type TextBlock,
} from '../../src/history/index.ts';
import { logOf, someLog } from './some-log.ts';

/* The log in as many pieces, each cut at one of these places. */
function pagesOf(events: readonly LoggedEvent[], cuts: readonly number[]): LoggedEvent[][] {
  const places = [...new Set(cuts.map((cut) => cut % (events.length + 1)))].toSorted(
    (one, other) => one - other,
  );
  return [...places, events.length].map((end, index) =>
    events.slice(index === 0 ? 0 : places[index - 1], end),
  );
}

const someCuts = fc.array(fc.nat(500), { maxLength: 8 });

test('joined page by page, forwards or backwards, it is what it is joined at once', () => {
  fc.assert(
    fc.property(someLog, someCuts, (steps, cuts) => {
      const events = logOf(steps);
      const whole = joinBlocks([], events);
      const pages = pagesOf(events, cuts).map((page) => joinBlocks([], page));
      const forwards = pages.reduce<readonly Block[]>(mergeBlocks, []);
      const backwards = pages.reduceRight<readonly Block[]>(
        (newer, older) => mergeBlocks(older, newer),
        [],
      );
      assert.deepEqual(forwards, whole);
      assert.deepEqual(backwards, whole);
    }),
  );
});

test('an event that comes again changes nothing', () => {
  fc.assert(
    fc.property(someLog, fc.nat(500), (steps, from) => {
      const events = logOf(steps);
      const whole = joinBlocks([], events);
      assert.equal(joinBlocks(whole, events.slice(from)), whole);
    }),
  );
});

test('a text that has ended has the length and the hash that its end tells', () => {
  fc.assert(
    fc.property(someLog, (steps) => {
      const texts = joinBlocks([], logOf(steps)).filter(({ kind }) => kind === 'text');
      for (const block of texts as TextBlock[]) {
        if (!block.is_complete) continue;
        assert.equal(block.bytes, Buffer.byteLength(block.text));
        assert.equal(block.sha256, createHash('sha256').update(block.text).digest('hex'));
        assert.equal(block.begins_seq, block.first_seq);
      }
    }),
  );
});

test('blocks are in the order of their first events, and every event is in one', () => {
  fc.assert(
    fc.property(someLog, (steps) => {
      const events = logOf(steps);
      const blocks = joinBlocks([], events);
      const firsts = blocks.map(({ first_seq }) => first_seq);
      assert.deepEqual(
        firsts,
        firsts.toSorted((one, other) => one - other),
      );
      for (const { seq } of events) {
        assert.ok(blocks.some(({ first_seq, last_seq }) => first_seq <= seq && seq <= last_seq));
      }
    }),
  );
});

test('a tool is one block, with the newest of all that was told of it', () => {
  const tool = (seq: number, payload: object): LoggedEvent => ({
    seq,
    turn_id: 't',
    type: 'tool',
    payload: { toolCallId: 'a', ...payload },
    at: `2026-01-01T00:00:0${seq}.000Z`,
  });
  const [block, ...others] = joinBlocks(
    [],
    [
      tool(1, { update: 'tool_call', title: 'ls', status: 'pending', rawInput: { path: '.' } }),
      tool(2, { update: 'tool_call_update', status: 'in_progress', title: null }),
      tool(3, { update: 'tool_call_update', status: 'completed', content: ['out'] }),
    ],
  );
  assert.deepEqual(others, []);
  assert.ok(block?.kind === 'tool');
  assert.deepEqual(block.call, {
    title: 'ls',
    status: 'completed',
    rawInput: { path: '.' },
    content: ['out'],
  });
  assert.deepEqual([block.first_seq, block.last_seq, block.updates], [1, 3, 3]);
  assert.deepEqual([block.at.at(-6), block.last_at.at(-6)], ['1', '3']);
});

test('the same id in another turn is another tool, and an update without its beginning says so', () => {
  const tool = (seq: number, turn: string): LoggedEvent => ({
    seq,
    turn_id: turn,
    type: 'tool',
    payload: { update: 'tool_call_update', toolCallId: 'a', status: 'completed' },
    at: '',
  });
  const blocks = joinBlocks([], [tool(1, 'one'), tool(2, 'two')]);
  assert.deepEqual(
    blocks.map((block) => block.kind === 'tool' && block.is_begun),
    [false, false],
  );
});

test('what is not of the expected shape is shown as it is', () => {
  const odd: readonly { readonly type: string; readonly payload: Facts }[] = [
    { type: 'tool', payload: { toolCallId: 7 } },
    { type: 'delta', payload: { role: 'nobody', text: 'x' } },
    { type: 'message', payload: { role: 'agent' } },
    { type: 'invented', payload: { constructor: 1 } },
  ];
  const events = odd.map((one, index) => ({ ...one, seq: index + 1, turn_id: null, at: '' }));
  for (const [index, block] of joinBlocks([], events).entries()) {
    assert.ok(block.kind === 'event');
    assert.deepEqual([block.type, block.payload], [odd[index]?.type, odd[index]?.payload]);
  }
});
