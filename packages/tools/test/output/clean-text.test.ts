/*
 * Output as text to read: nothing of a terminal's language is left in it, nothing that was said is lost with it, and how
 * the bytes arrive does not matter.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  controlStringCharactersMax,
  createTextCleaner,
  sequenceCharactersMax,
} from '../../src/output/clean-text.ts';
import { createScanner } from '../../src/terminal/sequences.ts';

const ESC = '\u001b';

function cleaned(...pieces: (string | Uint8Array)[]): string {
  const cleaner = createTextCleaner();
  const texts = pieces.map((piece) => cleaner.push(Buffer.from(piece)));
  return texts.join('') + cleaner.end();
}

const sequences: readonly (readonly [name: string, sequence: string])[] = [
  ['colour', `${ESC}[1;31m`],
  ['colour with sub-parameters', `${ESC}[38:2::1:2:3m`],
  ['private mode', `${ESC}[?25l`],
  ['intermediates', `${ESC}[2 q`],
  ['no parameters', `${ESC}[m`],
  ['DEL inside', `${ESC}[3\u007f1m`],
  ['8-bit CSI', '\u009b31m'],
  ['title, BEL', `${ESC}]0;a title\u0007`],
  ['title, ST', `${ESC}]2;日本${ESC}\\`],
  ['title, 8-bit', '\u009d0;t\u009c'],
  ['8-bit string with a 7-bit end', `\u009d0;t${ESC}\\`],
  ['link', `${ESC}]8;;https://example.org${ESC}\\`],
  ['OSC with a newline inside', `${ESC}]0;a\nb\u0007`],
  ['DCS', `${ESC}P+q544e${ESC}\\`],
  ['DCS with BEL inside', `${ESC}Pq#1\u0007~${ESC}\\`],
  ['8-bit DCS', '\u0090q~\u009c'],
  ['APC', `${ESC}_Ga=T;AAAA${ESC}\\`],
  ['PM', `${ESC}^x${ESC}\\`],
  ['SOS', `${ESC}Xx${ESC}\\`],
  ['SS2', `${ESC}N`],
  ['SS3', `${ESC}O`],
  ['8-bit SS3', '\u008f'],
  ['charset', `${ESC}(0`],
  ['charset in two intermediates', `${ESC}%/G`],
  ['keypad', `${ESC}=`],
  ['save and restore', `${ESC}7${ESC}8`],
  ['reset', `${ESC}c`],
  ['ESC ESC', `${ESC}${ESC}[m`],
  ['a stray end of a string', `${ESC}\\`],
  ['cut off by CAN', `${ESC}[31\u0018`],
  ['string cut off by SUB', `${ESC}]0;x\u001a`],
  ['string cut off by another sequence', `${ESC}]0;x${ESC}[31m`],
  ['string cut off by a C1', `${ESC}]0;x\u009b31m`],
];

for (const [name, sequence] of sequences) {
  test(`taken out: ${name}`, () => {
    assert.equal(cleaned(`before${sequence}after`), 'beforeafter');
  });
}

test('other control characters are shown, newline and tab stay', () => {
  assert.equal(
    cleaned('a\u0000b\u0007c\bd\u007fe\u0085f\tg\nh'),
    'a\\x00b\\x07c\\x08d\\x7fe\\x85f\tg\nh',
  );
});

test('controls inside a sequence are carried out', () => {
  assert.equal(cleaned(`a${ESC}[3\n1mb`), 'a\nb');
});

test('a sequence that a letter of another alphabet breaks off hides no letter', () => {
  assert.equal(cleaned(`${ESC}[31é`), 'é');
  assert.equal(cleaned(`${ESC}(é`), 'é');
});

test('line ends: CR LF, what a terminal makes of it, and progress bars', () => {
  assert.equal(cleaned('a\r\nb\r\r\nc'), 'a\nb\nc');
  assert.equal(cleaned('10%\r20%\r100%\r\ndone'), '10%\n20%\n100%\ndone');
  assert.equal(cleaned(`10%\r${ESC}[K20%`), '10%\n20%');
  assert.equal(cleaned('a\n\rb'), 'a\nb', 'a return at the beginning of a line does nothing');
  assert.equal(cleaned('a\r'), 'a');
  assert.equal(cleaned('a\r', '\nb'), 'a\nb');
});

test('direction controls and tags are shown, joiners stay', () => {
  assert.equal(cleaned('a\u202eb\u2066c\u200fd\u061c'), 'a\\u202eb\\u2066c\\u200fd\\u061c');
  assert.equal(cleaned('x\u{e0041}y'), 'x\\u{e0041}y');
  assert.equal(cleaned('👩‍💻 می‌خواهم ❤️ \ufeff'), '👩‍💻 می‌خواهم ❤️ \ufeff');
});

test('UTF-8 is held back until it is whole, and what is not UTF-8 is marked', () => {
  const cleaner = createTextCleaner();
  const euro = Buffer.from('€');
  assert.equal(cleaner.push(euro.subarray(0, 2)), '');
  assert.equal(cleaner.push(euro.subarray(2)), '€');
  assert.equal(cleaner.push(Uint8Array.of(0x61, 0xff, 0x62)), 'a\ufffdb');
  assert.equal(cleaner.push(euro.subarray(0, 1)) + cleaner.end(), '\ufffd');
});

test('bytes of another encoding hide nothing', () => {
  // 0x9b, 0x9d and 0x90 would introduce sequences in a terminal that does not read UTF-8.
  assert.equal(cleaned(Buffer.from('a\u009bb\u009dc\u0090d', 'latin1')), 'a\ufffdb\ufffdc\ufffdd');
});

test('a sequence or a string that never ends is given up', () => {
  const parameters = '1'.repeat(sequenceCharactersMax - 1);
  assert.equal(cleaned(`${ESC}[${parameters}mafter`), 'after');
  assert.equal(cleaned(`${ESC}[${parameters}222mafter`), '22mafter');
  const image = 'A'.repeat(controlStringCharactersMax - 1);
  assert.equal(cleaned(`${ESC}P${image}${ESC}\\after`), 'after');
  assert.equal(
    cleaned(`${ESC}]0;`, 'A'.repeat(controlStringCharactersMax), 'the rest').slice(-8),
    'the rest',
  );
});

test('after its end a cleaner is as new', () => {
  const cleaner = createTextCleaner();
  cleaner.push(Buffer.from(`a\r${ESC}]0;half`));
  cleaner.end();
  assert.equal(cleaner.push(Buffer.from('b')), 'b');
});

const fragment = fc.oneof(
  fc.constantFrom(...sequences.map(([, sequence]) => Buffer.from(sequence))),
  fc
    .constantFrom(
      '\r',
      '\n',
      '\r\n',
      ESC,
      '[',
      ']',
      '\\',
      '\u0007',
      '\u009b',
      'é',
      '😀',
      '\u{e0041}',
    )
    .map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'binary', maxLength: 4 }).map((text) => Buffer.from(text)),
);
const output = fc.array(fragment, { maxLength: 30 }).map((parts) => Buffer.concat(parts));

test('any division of the same bytes gives the same text', () => {
  fc.assert(
    fc.property(output, fc.array(fc.nat(200), { maxLength: 10 }), (bytes, cuts) => {
      const whole = cleaned(bytes);
      const edges = [
        0,
        ...cuts.filter((cut) => cut <= bytes.length).toSorted((a, b) => a - b),
        bytes.length,
      ];
      const pieces = edges.slice(1).map((edge, at) => bytes.subarray(edges[at], edge));
      assert.equal(cleaned(...pieces), whole);
      assert.equal(cleaned(...Array.from(bytes, (byte) => Uint8Array.of(byte))), whole);
    }),
    { numRuns: 2_000 },
  );
});

test('no control character but newline and tab, and no direction control, is ever in the text', () => {
  fc.assert(
    fc.property(output, (bytes) => {
      assert.doesNotMatch(
        cleaned(bytes).replace(/[\n\t]/g, ''),
        /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u,
      );
    }),
    { numRuns: 2_000 },
  );
});

test('what counts as text is what the scanner of bytes takes for text', () => {
  const letters = fc.oneof(
    fc.constantFrom(...sequences.map(([, sequence]) => sequence)),
    fc.string({ unit: fc.constantFrom('a', 'é', '日', '😀', ' ', '\n'), maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 20 }), (parts) => {
      const bytes = Buffer.from(parts.join(''));
      const texts: Uint8Array[] = [];
      createScanner((token) => {
        if (token.kind === 'text') texts.push(token.raw);
        else if (token.kind === 'csi' || token.kind === 'malformed') texts.push(token.controls);
      }).push(bytes);
      const scanned = Buffer.concat(texts).toString();
      // CAN and SUB are text to the scanner, which passes everything on.
      // oxlint-disable-next-line no-control-regex -- control characters are the point
      assert.equal(cleaned(bytes), scanned.replace(/[\u0018\u001a\u007f]/g, ''));
    }),
  );
});
