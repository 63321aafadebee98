/*
 * What is held of an output: bounded, and every line whole, from whichever side it came.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  appendNote,
  appendOutput,
  charactersOf,
  emptyWindow,
  notesIn,
  type OutputWindow,
  prependOlder,
  textOf,
} from '../src/runs/output-window.ts';

/* Cursors are the places in the text. */
function follow(whole: string, step: number, keepsOld = true): OutputWindow {
  let window = emptyWindow('0');
  for (let at = 0; at < whole.length; at += step) {
    const piece = {
      text: whole.slice(at, at + step),
      before: String(at),
      after: String(Math.min(whole.length, at + step)),
    };
    window = appendOutput(window, piece, keepsOld);
  }
  return window;
}

const numbered = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join('');

test('what comes in pieces of any size is the same text, in blocks of whole lines', () => {
  for (const step of [7, 100, 5_000, 70_000]) {
    const window = follow(numbered, step);
    assert.equal(textOf(window), numbered);
    for (const { text } of window.blocks.slice(0, -1)) assert.ok(text.endsWith('\n'));
    assert.equal(window.end, String(numbered.length));
  }
});

test('a window that is followed lets the oldest go, and older pages bring it back without a break', () => {
  const long = numbered.repeat(4);
  let window = follow(long, 1_000, false);
  assert.ok(charactersOf(window) < 450_000, `${charactersOf(window)} characters`);
  assert.ok(window.hasOlder);
  assert.ok(long.endsWith(textOf(window)));
  while (window.hasOlder) {
    const before = Number(window.blocks[0]?.start);
    const from = Math.max(0, before - 10_000);
    window = prependOlder(window, {
      text: long.slice(from, before),
      from: String(from),
      hasOlder: from > 0,
    });
  }
  assert.equal(textOf(window), long);
});

test('of a progress bar the newest state is shown; a gap is told where it is, and is no text of the command', () => {
  let window = emptyWindow('0');
  for (const text of ['start\n', '10 %', '\r20 %', '\r100 %\n', 'done\n']) {
    window = appendOutput(window, { text, before: '0', after: '1' }, true);
  }
  window = appendNote(window, '3 kB of output are no longer kept', '2');
  window = appendOutput(window, { text: 'after\n', before: '2', after: '3' }, true);
  assert.deepEqual(
    window.blocks.map(({ text, note }) => note ?? text),
    ['start\n100 %\ndone\n', '3 kB of output are no longer kept', 'after\n'],
  );
  assert.equal(textOf(window), 'start\n100 %\ndone\nafter\n');
  assert.equal(notesIn(window), 1);
});

test('a line that is written anew many times in one piece is its newest state, and what is before it is not copied each time', () => {
  const before = 'line\n'.repeat(10_000);
  const times = 500_000;
  const added = `${'\ra bc'.repeat(times)}\r\rd\r\r\ne\rf\n`;
  const window = appendOutput(
    appendOutput(emptyWindow('0'), { text: `${before}begun`, before: '0', after: '1' }, true),
    { text: added, before: '1', after: '2' },
    true,
  );
  const text = window.blocks.map((block) => block.text).join('');
  assert.equal(text, `${before}d\nf\n`);
});
