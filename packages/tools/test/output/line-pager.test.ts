/*
 * Pages of lines: the right ones, counted right, in bounded memory, also when one line is everything.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  createLinePager,
  lineCharactersMax,
  pageCharactersMax,
  type PageRequest,
  readPage,
} from '../../src/output/line-pager.ts';
import { heapGrowthBytes } from './heap-growth.ts';

function pageOf(pieces: readonly string[], request?: PageRequest) {
  return readPage(async function* () {
    yield* pieces;
  }, request);
}

const ten = Array.from({ length: 10 }, (_, line) => `line ${line}\n`);

test('without anything asked for, the last 200 lines', async () => {
  const many = Array.from({ length: 300 }, (_, line) => `${line}\n`);
  const page = await pageOf(many);
  assert.equal(page.firstLine, 100);
  assert.equal(page.lines, 200);
  assert.equal(page.totalLines, 300);
  assert.equal(page.text.split('\n').at(-1), '299');
});

test('from the start, from the end, and from somewhere before the end', async () => {
  assert.deepEqual(await pageOf(ten, { offset: 3, limit: 2 }), {
    text: 'line 3\nline 4',
    firstLine: 3,
    lines: 2,
    totalLines: 10,
  });
  assert.equal((await pageOf(ten, { offset: -2 })).text, 'line 8\nline 9');
  assert.deepEqual(await pageOf(ten, { offset: -5, limit: 2 }), {
    text: 'line 5\nline 6',
    firstLine: 5,
    lines: 2,
    totalLines: 10,
  });
  assert.equal((await pageOf(ten, { offset: -50, limit: 2 })).text, 'line 0\nline 1');
});

test('past the end there is nothing, and it is said how many there are', async () => {
  const page = await pageOf(ten, { offset: 20 });
  assert.deepEqual(page, { text: '', firstLine: 20, lines: 0, totalLines: 10 });
});

test('a line without an end counts, nothing after the last newline does not', async () => {
  assert.equal((await pageOf(['a\n', 'b'])).totalLines, 2);
  assert.equal((await pageOf(['a\nb\n'])).totalLines, 2);
  assert.equal((await pageOf(['\n\n'])).totalLines, 2);
  assert.equal((await pageOf([])).totalLines, 0);
  assert.equal((await pageOf(['', ''])).totalLines, 0);
});

test('a long line is cut and says by how much', async () => {
  const page = await pageOf(['x'.repeat(lineCharactersMax), 'yz\nnext\n']);
  const [first, second] = page.text.split('\n');
  assert.equal(first, `${'x'.repeat(lineCharactersMax)}… [2 more characters in this line]`);
  assert.equal(second, 'next');
});

test('a long line is not cut inside a character', async () => {
  const page = await pageOf([`${'x'.repeat(lineCharactersMax - 1)}😀 and more`]);
  assert.ok(page.text.isWellFormed());
});

test('a page is never larger than a tool may return: the tail keeps the end, a head the beginning', async () => {
  const long = Array.from({ length: 50 }, (_, line) => `${line}${'x'.repeat(10_000)}\n`);
  const tail = await pageOf(long);
  assert.ok(tail.text.length <= pageCharactersMax && tail.lines < 50);
  assert.equal(tail.firstLine + tail.lines, 50);
  const head = await pageOf(long, { offset: 0 });
  assert.ok(head.text.length <= pageCharactersMax && head.lines < 50);
  assert.ok(head.text.startsWith('0x'));
  const next = await pageOf(long, { offset: head.lines });
  assert.ok(next.text.startsWith(`${head.lines}x`), 'one can page on');
});

test('it is what slicing all lines would give, however the text is cut', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\n', '😀'), maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 6 }),
      fc.integer({ min: -40, max: 40 }),
      fc.integer({ min: 1, max: 30 }),
      async (pieces, offset, limit) => {
        const whole = pieces.join('');
        const lines = whole.replace(/\n$/, '').split('\n');
        const all = whole === '' ? [] : lines;
        const from = offset < 0 ? Math.max(0, all.length + offset) : offset;
        const page = await pageOf(pieces, { offset, limit });
        const expected = all.slice(from, from + limit);
        assert.deepEqual(page.text.split('\n').slice(0, page.lines), expected);
        assert.equal(page.totalLines, all.length);
        assert.equal(page.firstLine, from);
      },
    ),
  );
});

for (const [name, piece] of [
  ['a hundred megabytes of lines', `${'x'.repeat(63)}\n`.repeat(1_024)],
  ['a line of a hundred megabytes', 'x'.repeat(64 * 1_024)],
] as const) {
  test(`${name} do not stay in memory`, async () => {
    const pager = createLinePager({ kind: 'tail', limit: 200 });
    const grownBytes = await heapGrowthBytes(() => {
      // Each piece is a string of its own, as decoding makes them.
      for (let at = 0; at < 1_600; at += 1) pager.push(Buffer.from(piece).toString());
    });
    assert.ok(grownBytes < 5_000_000, `${grownBytes}`);
    assert.ok(pager.page().text.length <= pageCharactersMax);
  });
}
