/*
 * The terminal model: what a person would see, row by row, and what the program has asked the terminal for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createModeTracker } from '../../src/terminal/mode-tracker.ts';
import { openTerminalModel, type Screen } from '../../src/terminal/terminal-model.ts';

const size = { cols: 20, rows: 5 };
const CSI = '\u001b[';

async function screenAfter(...outputs: (string | Uint8Array)[]): Promise<Screen> {
  const model = await openTerminalModel(size);
  for (const output of outputs) await model.write(output);
  const screen = model.screen();
  model.close();
  return screen;
}

test('a fresh screen is empty, with the cursor in its corner', async () => {
  assert.deepEqual(await screenAfter(), {
    ...size,
    lines: ['', '', '', '', ''],
    cursor: { row: 0, column: 0, isVisible: true },
    title: '',
    isAlternate: false,
  });
});

test('lines are as they stand, without the blanks behind them; what scrolled away is gone', async () => {
  const { lines, cursor } = await screenAfter('1\r\n2\r\n3\r\n4\r\n  5  \r\n6 ');
  assert.deepEqual(lines, ['2', '3', '4', '  5', '6']);
  assert.deepEqual(cursor, { row: 4, column: 2, isVisible: true });
});

test('wide characters take two columns and are there once, marks stay with their letter', async () => {
  const wide = await screenAfter('日本x');
  assert.equal(wide.lines[0], '日本x');
  assert.equal(wide.cursor.column, 5);
  const marked = await screenAfter('e\u0301a\u0308x');
  assert.equal(marked.lines[0], 'e\u0301a\u0308x');
  assert.equal(marked.cursor.column, 3);
});

test('a character that arrives in pieces is one', async () => {
  const [first, ...rest] = Buffer.from('日');
  assert.equal(
    (await screenAfter(Uint8Array.of(first ?? 0), Uint8Array.from(rest))).lines[0],
    '日',
  );
});

test('a full line leaves the cursor on its last column', async () => {
  assert.deepEqual((await screenAfter('x'.repeat(20))).cursor, {
    row: 0,
    column: 19,
    isVisible: true,
  });
});

test('the alternate screen is shown while it is on, and what was there before comes back', async () => {
  const enter = ['before', `${CSI}?1049h${CSI}H${CSI}2Jfull screen`];
  const during = await screenAfter(...enter);
  assert.equal(during.isAlternate, true);
  assert.equal(during.lines[0], 'full screen');
  const after = await screenAfter(...enter, `${CSI}?1049l`);
  assert.equal(after.isAlternate, false);
  assert.equal(after.lines[0], 'before');
});

test('a hidden cursor is told, and both resets bring it back', async () => {
  const isVisible = async (text: string) => (await screenAfter(text)).cursor.isVisible;
  assert.equal(await isVisible(`${CSI}?25l`), false);
  assert.equal(await isVisible(`${CSI}?7;25l`), false);
  assert.equal(await isVisible(`${CSI}?25l${CSI}?25h`), true);
  assert.equal(await isVisible(`${CSI}?25l\u001bc`), true);
  assert.equal(await isVisible(`${CSI}?25l${CSI}!p`), true);
});

test('the title is told, visibly and not at any length', async () => {
  assert.equal((await screenAfter('\u001b]2;vim \u202ea\u001b\\')).title, 'vim \\u202ea');
  assert.ok((await screenAfter(`\u001b]0;${'x'.repeat(100_000)}\u0007`)).title.length <= 500);
});

test('direction controls on the screen are shown', async () => {
  assert.equal((await screenAfter('a\u202eb')).lines[0], 'a\\u202eb');
});

test('a new size keeps the text', async () => {
  const model = await openTerminalModel(size);
  await model.write('hello');
  model.resize({ cols: 40, rows: 2 });
  const { cols, rows, lines } = model.screen();
  assert.deepEqual({ cols, rows, lines }, { cols: 40, rows: 2, lines: ['hello', ''] });
  model.close();
});

test('nobody hears the answers unless somebody listens', async () => {
  const model = await openTerminalModel(size);
  await model.write(`${CSI}6n`);
  model.close();
});

test('the model and the tracker agree about modes, whatever the program does', async () => {
  // Without the soft reset: terminals differ about what it does to pastes.
  const change = fc.constantFrom(
    `${CSI}?1h`,
    `${CSI}?1l`,
    `${CSI}?1;2004h`,
    `${CSI}?2004l`,
    '\u001b=',
    '\u001b>',
    `${CSI}?66h`,
    `${CSI}?66l`,
    '\u001bc',
    `${CSI}?1049h`,
    'text',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
      const tracker = createModeTracker();
      const model = await openTerminalModel(size);
      for (const output of changes) {
        tracker.push(Buffer.from(output));
        await model.write(output);
      }
      assert.deepEqual(tracker.modes(), model.modes());
      model.close();
    }),
  );
});

test('laid out for another size, a screen keeps its cursor behind the same character', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', '日', '\r\n'), { maxLength: 60 });
  const length = fc.integer({ min: 4, max: 30 });
  await fc.assert(
    fc.asyncProperty(text, length, length, async (parts, from, to) => {
      const written = parts.join('');
      const model = await openTerminalModel({ cols: from, rows: 65 });
      await model.write(`${written}|`);
      await model.layOut({ cols: to, rows: 65 });
      const { lines, cursor } = model.screen();
      model.close();
      const fresh = await openTerminalModel({ cols: to, rows: 65 });
      await fresh.write(`${written}|`);
      const expected = fresh.screen();
      fresh.close();
      assert.deepEqual(lines, expected.lines);
      assert.deepEqual(cursor, expected.cursor);
    }),
    { numRuns: 60 },
  );
});

test('of a screen that is too high, the rows up to the cursor are shown', async () => {
  const model = await openTerminalModel({ cols: 20, rows: 8 });
  await model.write(`1\r\n2\r\n3\r\n${'4'.repeat(15)}\r\n5\r\n6${CSI}A`);
  await model.layOut({ cols: 10, rows: 3 });
  const { lines, cursor } = model.screen();
  model.close();
  assert.deepEqual(lines, ['4444444444', '44444', '5']);
  assert.deepEqual(cursor, { row: 2, column: 1, isVisible: true });
});
