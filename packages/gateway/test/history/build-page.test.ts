/*
 * Pages of a thread: full and never fuller, the same thread however it is cut, and as cheap for a long one as for a short one.
 */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { test } from 'node:test';
import type { BriefEvent } from '@clawdfather/agents';
import { type Block, joinBlocks, mergeBlocks } from '@clawdfather/protocol/history';
import fc from 'fast-check';
import { buildPage, pageBytesMax } from '../../src/history/build-page.ts';
import { shownEvent } from '../../src/history/show-events.ts';

/* A history in memory that counts what is read of it. */
function historyOf(events: readonly BriefEvent[]) {
  let rowsRead = 0;
  return {
    rowsRead: () => rowsRead,
    before: async (_thread: string, range: { before: number; limit: number }) => {
      const below = events.filter(({ seq }) => seq < range.before).toReversed();
      const lot = below.slice(0, range.limit);
      rowsRead += lot.length;
      return lot;
    },
  };
}

async function readAll(events: readonly BriefEvent[], limit: number) {
  const history = historyOf(events);
  let blocks: readonly Block[] = [];
  let pages = 0;
  for (let before = (events.at(-1)?.seq ?? 0) + 1; ; ) {
    const page = await buildPage(history, { threadId: 't', before, limit });
    pages += 1;
    blocks = mergeBlocks(page.blocks, blocks);
    const bytes = gzipSync(JSON.stringify(page.blocks)).length;
    assert.ok(bytes <= 64_000, `${bytes} bytes`);
    if (!page.hasMore) return { blocks, pages, rowsRead: history.rowsRead() };
    assert.ok(page.firstSeq !== undefined && page.firstSeq < before, 'every page goes on');
    before = page.firstSeq;
  }
}

function event(seq: number, type: BriefEvent['type'], payload: BriefEvent['payload']): BriefEvent {
  return { seq, type, payload, turnId: 't', atMs: seq };
}

/* Text that compresses little. */
function noiseOf(seed: number, length: number): string {
  let state = seed + 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(0x4e00 + (state % 20_000));
  }).join('');
}

const someEvent = fc.oneof(
  fc
    .nat(9_000)
    .map((length) => ['delta', { role: 'agent', text: noiseOf(length, length) }] as const),
  fc.nat(400).map((length) => ['delta', { role: 'agent', text: 'word '.repeat(length) }] as const),
  fc
    .tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(20_000))
    .map(([id, n]) => ['tool', { toolCallId: id, content: noiseOf(n, n) }] as const),
  fc.nat(20_000).map((length) => ['noise', { text: noiseOf(length, length) }] as const),
  fc.constant(['message', { role: 'agent', firstSeq: 1 }] as const),
);

test('whatever is in it, a page is at most 64 kB compressed, and the pages are the thread', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(someEvent, { minLength: 1, maxLength: 120 }),
      fc.integer({ min: 1, max: 150 }),
      async (parts, limit) => {
        const events = parts.map(([type, payload], index) => event(index + 1, type, payload));
        const { blocks } = await readAll(events, limit);
        assert.deepEqual(blocks, joinBlocks([], events.map(shownEvent)));
      },
    ),
    { numRuns: 25 },
  );
});

test('a page of 10,000 events reads no more of them than it shows, and one lot', async () => {
  const events = Array.from({ length: 10_000 }, (_, index) =>
    event(index + 1, 'delta', { role: 'agent', text: `word-${index} ` }),
  );
  const history = historyOf(events);
  const page = await buildPage(history, { threadId: 't', before: 10_001, limit: 1_000 });
  assert.deepEqual([page.firstSeq, page.lastSeq, page.hasMore], [9_001, 10_000, true]);
  assert.equal(history.rowsRead(), 1_000);
  assert.equal(page.blocks.length, 1);
  const { pages, rowsRead } = await readAll(events, 1_000);
  assert.equal(pages, 10);
  assert.equal(rowsRead, 10_000);
});

test('5,000 tool calls, a line of a megabyte and a hundred large ones are pages like any other', async () => {
  const calls = Array.from({ length: 5_000 }, (_, index) =>
    event(index + 1, 'tool', { update: 'tool_call', toolCallId: `c${index}`, title: 'ls \u202e' }),
  );
  const said = noiseOf(1, 1_000_000);
  const line = event(5_001, 'delta', { role: 'agent', text: said });
  const large = Array.from({ length: 100 }, (_, index) =>
    event(5_002 + index, 'tool', { toolCallId: 'same', content: noiseOf(index, 20_000) }),
  );
  const events = [...calls, line, ...large];
  const { blocks } = await readAll(events, 2_000);
  assert.equal(blocks.length, 5_002);
  const text = blocks.find(({ kind }) => kind === 'text');
  assert.deepEqual(text?.cut, [
    { seq: 5_001, bytes: Buffer.byteLength(JSON.stringify(line.payload)) },
  ]);
  assert.ok(text?.kind === 'text' && said.startsWith(text.text));
});

test('what is missing is told with the page on which it would be', async () => {
  const at = (seqs: readonly number[]) =>
    historyOf(seqs.map((seq) => event(seq, 'noise', { text: '' })));
  const page = (seqs: readonly number[], before: number, limit: number) =>
    buildPage(at(seqs), { threadId: 't', before, limit });
  assert.deepEqual((await page([1, 2, 3], 4, 9)).gaps, []);
  assert.deepEqual((await page([1, 4, 5], 7, 9)).gaps, [
    { from: 2, to: 3 },
    { from: 6, to: 6 },
  ]);
  const upper = await page([1, 4, 5], 6, 2);
  assert.deepEqual([upper.gaps, upper.hasMore, upper.firstSeq], [[], true, 4]);
  assert.deepEqual((await page([1, 4, 5], 4, 2)).gaps, [{ from: 2, to: 3 }]);
  assert.deepEqual((await page([4, 5], 6, 9)).gaps, [{ from: 1, to: 3 }]);
  const none = await page([], 1, 9);
  assert.deepEqual([none.blocks, none.gaps, none.hasMore], [[], [], false]);
  assert.deepEqual((await page([], 3, 9)).gaps, [{ from: 1, to: 2 }]);
  assert.ok(pageBytesMax < 64_000);
});
