/*
 * Tables and the text in them: aligned, cut at the edge, nothing that drives the terminal.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatTable } from '../../src/render/table.ts';
import { columnsOf, fitColumns, makeVisible } from '@clawdfather/tools/text';

const plain = (text: string): string => text;

test('columns line up and the last one is cut to the width', () => {
  const text = formatTable({ headers: ['ID', 'COMMAND'], paintHeader: plain, columnsMax: 20 }, [
    [{ text: 'abc' }, { text: 'a very long command line' }],
    [{ text: 'd' }, { text: 'short' }],
  ]);
  assert.equal(text, 'ID   COMMAND\nabc  a very long co…\nd    short\n');
});

test('where it is narrow, what is least missed goes first', () => {
  const headers = ['ID', 'CPU', 'AGE', 'COMMAND'];
  const row = ['abc', '10ms', '1h ago', 'make -j8 all'].map((text) => ({ text }));
  const at = (columnsMax: number): string =>
    formatTable({ headers, paintHeader: plain, columnsMax, dispensable: ['CPU', 'AGE'] }, [row]);
  assert.equal(at(31), 'ID   CPU   AGE     COMMAND\nabc  10ms  1h ago  make -j8 all\n');
  assert.equal(at(30), 'ID   AGE     COMMAND\nabc  1h ago  make -j8 all\n');
  assert.equal(at(20), 'ID   COMMAND\nabc  make -j8 all\n');
  assert.equal(at(12), 'ID   COMMAND\nabc  make -…\n');
});

test('without a terminal nothing is cut', () => {
  const long = 'x'.repeat(500);
  const layout = { headers: ['A'], paintHeader: plain, columnsMax: undefined };
  assert.ok(formatTable(layout, [[{ text: long }]]).includes(long));
});

test('colours do not count as width', () => {
  const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
  const layout = { headers: ['A', 'B'], paintHeader: plain, columnsMax: undefined };
  const text = formatTable(layout, [
    [{ text: 'x', paint: red }, { text: '1' }],
    [{ text: 'xxx' }, { text: '2' }],
  ]);
  assert.equal(text, 'A    B\n\u001b[31mx\u001b[39m    1\nxxx  2\n');
});

test('wide characters count twice, marks not at all', () => {
  assert.equal(columnsOf('日本'), 4);
  assert.equal(columnsOf('e\u0301'), 1);
  assert.equal(columnsOf('\u{1f600}'), 2);
});

test('columns stand under each other with wide names, emoji and flags', () => {
  const names = ['plain', '日本語', 'e\u0301te\u0301', '🚀 🫠', '🇩🇪', '⚠', '☰'];
  const layout = { headers: ['NAME', 'N'], paintHeader: plain, columnsMax: undefined };
  const text = formatTable(
    layout,
    names.map((name) => [{ text: name }, { text: '|' }]),
  );
  const [, ...rows] = text.trimEnd().split('\n');
  for (const row of rows) assert.equal(columnsOf(row.slice(0, row.indexOf('|'))), 8, row);
});

test('what fits is left alone, what does not fits afterwards', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 30 }), (text, max) => {
      const fitted = fitColumns(text, max);
      assert.ok(columnsOf(fitted) <= max);
      if (columnsOf(text) <= max) assert.equal(fitted, text);
    }),
  );
});

test('escape sequences, newlines and bidirectional controls become visible', () => {
  assert.equal(makeVisible('a\u001b[2Jb\nc\u202ed\u0000'), 'a\\x1b[2Jb\\nc\\u202ed\\x00');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      // oxlint-disable-next-line no-control-regex -- that there are none is what is tested
      assert.doesNotMatch(makeVisible(text), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    }),
  );
});
