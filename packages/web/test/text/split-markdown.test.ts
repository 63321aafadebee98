/*
 * Long texts as pieces: nothing is left out, however the text comes, and a hostile one takes no longer than another.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Piece, splitMarkdown, type SplitText } from '../../src/text/split-markdown.ts';

const text = `# Title

A paragraph
of two lines.

- one

  goes on
- two

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`
After it.

1. first
   \`\`\`
   inside
   \`\`\`
`;

test('paragraphs, lists and code are pieces of their own; what belongs to an item of a list stays with it', () => {
  const { pieces } = splitMarkdown(text);
  assert.deepEqual(
    pieces.map((piece) => [piece.kind, piece.text]),
    [
      ['prose', '# Title'],
      ['prose', 'A paragraph\nof two lines.'],
      ['prose', '- one\n\n  goes on\n- two'],
      ['code', 'const a = 1;\n\nconst b = 2;'],
      ['prose', 'After it.'],
      ['prose', '1. first'],
      ['code', 'inside'],
    ],
  );
});

test('a text that comes letter by letter is in the end the same as one that comes at once, and what is settled is not made anew', () => {
  let split: SplitText | undefined;
  let settled: Piece | undefined;
  for (let length = 1; length <= text.length; length += 1) {
    split = splitMarkdown(text.slice(0, length), split);
    const first = split.tailPieces > 0 ? split.pieces[0] : undefined;
    settled ??= first;
    assert.equal(first, settled);
  }
  assert.deepEqual(split?.pieces, splitMarkdown(text).pieces);
});

test('every letter of a hostile text is in some piece, and no piece is longer than the parser may see', () => {
  const hostile = [
    'x'.repeat(1_000_000),
    '>'.repeat(50_000),
    '- '.repeat(20_000),
    '['.repeat(30_000),
    `\`\`\`\n${'long line '.repeat(50_000)}\n\`\`\``,
    '😀'.repeat(5_000),
    `${'a|'.repeat(3_000)}\n${'-|'.repeat(3_000)}`,
  ];
  for (const source of hostile) {
    const { pieces } = splitMarkdown(source);
    const all = pieces.map((piece) => piece.text).join('');
    const bare = (of: string): string => of.replaceAll(/[\s`]/g, '');
    assert.equal(bare(all), bare(source));
    for (const piece of pieces) {
      assert.ok(piece.text.length <= (piece.kind === 'prose' ? 4_000 : 24 * 2_001));
      assert.doesNotMatch(
        piece.text,
        /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/,
        'no half of a character',
      );
    }
  }
});

test('code that is long is several pieces of a few lines, and each knows all of it', () => {
  const code = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');
  const { pieces } = splitMarkdown(`~~~py\n${code}\n~~~\n`);
  assert.equal(pieces.length, 5);
  for (const [index, piece] of pieces.entries()) {
    assert.ok(piece.kind === 'code');
    assert.equal(piece.code, code);
    assert.equal(piece.language, 'py');
    assert.deepEqual([piece.isFirst, piece.isLast], [index === 0, index === 4]);
  }
});
