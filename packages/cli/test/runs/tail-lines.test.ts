/*
 * The last lines of a journal, and lines with their times.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLineShaper } from '../../src/runs/line-shaper.ts';
import { createTailLines } from '../../src/runs/tail-lines.ts';
import { outputEvent } from '../support/fake-run.ts';

function tailOf(lines: number, chunks: readonly string[]): string {
  const tail = createTailLines(lines);
  for (const chunk of chunks) tail.push(outputEvent(chunk));
  return tail
    .take()
    .map((event) => (event.kind === 'output' ? Buffer.from(event.bytes).toString() : ''))
    .join('');
}

/* What tail(1) does. */
function expectedTail(lines: number, text: string): string {
  if (lines === 0) return '';
  const parts = text.split(/(?<=\n)/);
  return parts.slice(-lines).join('');
}

test('the last lines, whole or not, as tail(1) gives them', () => {
  assert.equal(tailOf(2, ['a\nb\nc\n']), 'b\nc\n');
  assert.equal(tailOf(2, ['a\nb\nc']), 'b\nc');
  assert.equal(tailOf(5, ['a\nb\n']), 'a\nb\n');
  assert.equal(tailOf(0, ['a\nb\n']), '');
  assert.equal(tailOf(1, ['a\n', '\n']), '\n');
});

test('how the output was cut into pieces does not matter', () => {
  const piece = fc.constantFrom('a', '\n', 'bc\n', '\n\n', 'd\ne');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(8), (chunks, lines) => {
      assert.equal(tailOf(lines, chunks), expectedTail(lines, chunks.join('')));
    }),
  );
});

test('much more than is kept at once still ends in the right lines', () => {
  const block = Array.from({ length: 100_000 }, (_, line) => `line ${line} of a block\n`).join('');
  const chunks = Array.from({ length: 12 }, (_, index) => `${block}${index}`);
  assert.equal(tailOf(3, chunks), 'line 99998 of a block\nline 99999 of a block\n11');
  assert.equal(tailOf(200_000, chunks).split('\n').length, 200_000);
});

test('each line begins with its time, and a line in two pieces only once', () => {
  const shape = createLineShaper();
  const at = (text: string, atMs: number): string =>
    Buffer.from(shape({ ...outputEvent(text), atMs })).toString();
  assert.equal(at('one\ntw', 0), '1970-01-01T00:00:00.000Z one\n1970-01-01T00:00:00.000Z tw');
  assert.equal(at('o\nx\n', 1_000), 'o\n1970-01-01T00:00:01.000Z x\n');
});
