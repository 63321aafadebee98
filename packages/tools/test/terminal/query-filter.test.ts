/*
 * The filter for watching terminals: what asks is gone, what draws is there,
 * and cutting the stream anywhere changes nothing. A real parser (xterm's) is
 * the judge of "nothing that answers gets through".
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createQueryFilter } from '../../src/terminal/query-filter.ts';
import { csiQueries } from '../../src/terminal/query-table.ts';
import { stringBytesMax } from '../../src/terminal/sequences.ts';
import { openTerminalModel } from '../../src/terminal/terminal-model.ts';

const ESC = '\u001b';
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

function filtered(...chunks: Uint8Array[]): string {
  const filter = createQueryFilter();
  return Buffer.concat(chunks.map((chunk) => filter.push(chunk))).toString('latin1');
}

test('queries are dropped and the text around them stays', () => {
  const queries = [
    `${ESC}[5n`,
    `${ESC}[6n`,
    `${ESC}[?6n`,
    `${ESC}[?996n`,
    `${ESC}[c`,
    `${ESC}[0c`,
    `${ESC}[>c`,
    `${ESC}[=c`,
    `${ESC}[?2026$p`,
    `${ESC}[4$p`,
    `${ESC}[>q`,
    `${ESC}[>0q`,
    `${ESC}[x`,
    `${ESC}[18t`,
    `${ESC}[014t`,
    `${ESC}[?u`,
    `${ESC}[?4m`,
    `${ESC}[1;1;1;1;1;1*y`,
    `${ESC}Z`,
    '\u0005',
    `${ESC}]10;?\u0007`,
    `${ESC}]11;?${ESC}\\`,
    `${ESC}]4;1;rgb:00/00/00;2;?${ESC}\\`,
    `${ESC}]52;c;?\u0007`,
    `${ESC}]52;c;aGVsbG8=\u0007`,
    `${ESC}]21;foreground=?${ESC}\\`,
    `${ESC}]1337;ReportCellSize\u0007`,
    `${ESC}P$qm${ESC}\\`,
    `${ESC}P+q544e${ESC}\\`,
    `${ESC}_Gi=1,a=q;AAAA${ESC}\\`,
    '\u009b6n',
    'Â\u009b6n',
    '\u009a',
    `${ESC}[?1004h`,
    `${ESC}[?2048h`,
  ];
  for (const query of queries) {
    assert.equal(filtered(bytes(`a${query}b`)), 'ab', JSON.stringify(query));
  }
});

test('what draws, names or switches passes byte for byte', () => {
  const drawings = [
    'plain text\r\n\ttabs and \u0007 bell',
    'Grüße, 日本, ⛛ \u{1f600}',
    `${ESC}[31;1mred${ESC}[0m`,
    `${ESC}[2J${ESC}[H`,
    `${ESC}[?1049h${ESC}[?25l`,
    `${ESC}[2 q`,
    `${ESC}[>4;2m`,
    `${ESC}[>1u`,
    `${ESC}[<u`,
    `${ESC}[22;0t`,
    `${ESC}]2;a title with ? in it\u0007`,
    `${ESC}]2;?\u0007`,
    `${ESC}]8;;https://example.org/?q=1${ESC}\\link${ESC}]8;;${ESC}\\`,
    `${ESC}]11;rgb:00/00/00${ESC}\\`,
    `${ESC}]104${ESC}\\`,
    `${ESC}Pq#0;2;0;0;0~~${ESC}\\`,
    `${ESC}(0lqqk${ESC}(B`,
    `${ESC}7${ESC}8${ESC}=`,
    `${ESC}[1;5r`,
  ];
  for (const drawing of drawings) {
    const raw = Buffer.from(drawing);
    assert.equal(filtered(raw), raw.toString('latin1'), JSON.stringify(drawing));
  }
});

test('of several modes in one sequence only the reporting ones go', () => {
  assert.equal(filtered(bytes(`${ESC}[?1000;1004;1006h`)), `${ESC}[?1000;1006h`);
  assert.equal(filtered(bytes(`${ESC}[?1004l`)), `${ESC}[?1004l`);
});

test('controls inside a dropped query still take effect', () => {
  assert.equal(filtered(bytes(`a${ESC}[6\r\nnb`)), 'a\r\nb');
});

test('a long image passes in pieces and a long clipboard does not', () => {
  const payload = 'A'.repeat(3 * stringBytesMax);
  const image = `${ESC}]1337;File=inline=1:${payload}\u0007`;
  assert.equal(filtered(bytes(image)), image);
  assert.equal(filtered(bytes(`${ESC}]52;c;${payload}\u0007x`)), 'x');
});

test('a long string that a query cuts off does not swallow what follows', () => {
  const head = `${ESC}Pq${'~'.repeat(2 * stringBytesMax)}`;
  assert.equal(filtered(bytes(`${head}${ESC}[6nafter`)), `${head}${ESC}\\after`);
});

test('every row of the table is dropped', () => {
  for (const { prefix, intermediates, final, first } of csiQueries) {
    const query = `${ESC}[${prefix}${first?.[0] ?? '1'}${intermediates}${final}`;
    assert.equal(filtered(bytes(query)), '', JSON.stringify(query));
  }
});

/* Pieces of which hostile and ordinary output is made. */
const fragment = fc.oneof(
  fc.constantFrom(
    ESC,
    '[',
    ']',
    'P',
    '_',
    '\\',
    '\u0007',
    '\u0005',
    '\u0018',
    '\u009b',
    'Â\u009b',
    '\u009d',
    '\u009c',
    'Â',
    'â',
    '?',
    '>',
    '$',
    '+',
    'q',
    'p',
    'n',
    'c',
    'Z',
    '6',
    '11',
    ';',
    ' ',
    '\n',
  ),
  fc.constantFrom(`${ESC}[6n`, `${ESC}[c`, `${ESC}]11;?\u0007`, `${ESC}P$qm${ESC}\\`, `${ESC}[31m`),
  fc.string({ unit: 'binary', maxLength: 4 }),
  // Characters of two, three and four bytes, and parts of them.
  fc
    .tuple(fc.constantFrom('é', '\u00a0', '\u009b', '│', '日', '\ufffd', '\u{1f600}'), fc.nat(4))
    .map(([text, length]) => Buffer.from(text).subarray(0, length).toString('latin1')),
);
const stream = fc.array(fragment, { maxLength: 40 }).map((parts) => bytes(parts.join('')));

test('cutting at any byte gives the same result', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(200), { maxLength: 5 }), (whole, cuts) => {
      const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length].sort(
        (left, right) => left - right,
      );
      const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end));
      assert.equal(filtered(...chunks), filtered(whole));
    }),
    { numRuns: 2_000 },
  );
});

test('what is taken in bulk is cut as it would be byte by byte', () => {
  fc.assert(
    fc.property(stream, (whole) => {
      const single = Array.from(whole, (_, at) => whole.subarray(at, at + 1));
      assert.equal(filtered(...single), filtered(whole));
    }),
    { numRuns: 5_000 },
  );
});

test('xterm has nothing to answer in what passes', async () => {
  await fc.assert(
    fc.asyncProperty(stream, async (whole) => {
      let answered = '';
      const model = await openTerminalModel({
        cols: 80,
        rows: 24,
        answer: (text) => {
          answered += text;
        },
      });
      await model.write(bytes(filtered(whole)));
      model.close();
      assert.equal(answered, '', `answered to ${JSON.stringify(whole.toString('latin1'))}`);
    }),
    { numRuns: 1_500 },
  );
});

test('filtering twice changes nothing more', () => {
  fc.assert(
    fc.property(stream, (whole) => {
      // CAN and a letter end whatever was begun, so that nothing is held back at the end.
      const once = filtered(whole, bytes('\u0018.'));
      assert.equal(filtered(bytes(once)), once);
    }),
  );
});
