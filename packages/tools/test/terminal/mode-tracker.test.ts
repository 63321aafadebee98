/*
 * Modes read off the output: what is on can be put on elsewhere, and off again.
 * Checked against xterm's own idea of its modes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createModeTracker } from '../../src/terminal/mode-tracker.ts';

const CSI = '\u001b[';

function trackerAfter(...outputs: string[]) {
  const tracker = createModeTracker();
  for (const output of outputs) tracker.push(Buffer.from(output, 'latin1'));
  return tracker;
}

test('plain output leaves nothing to undo', () => {
  assert.equal(trackerAfter('hello\r\n', `${CSI}31mred${CSI}0m`).undo(), '');
  assert.equal(trackerAfter('hello').apply(), '');
});

test('a full-screen program that was left in the middle is undone', () => {
  const tracker = trackerAfter(
    `${CSI}?1049h${CSI}?1h\u001b=${CSI}?25l${CSI}?1002;1006h${CSI}?2004h${CSI}2;20r${CSI}5 q${CSI}7m`,
  );
  assert.equal(tracker.isAlternateScreen, true);
  const undone = tracker.undo();
  for (const part of ['?1l', '?25h', '?1002l', '?1006l', '?2004l', 'r', '0 q', '?1049l', '0m']) {
    assert.ok(undone.includes(`${CSI}${part}`), part);
  }
  assert.ok(undone.endsWith(`${CSI}?1049l`), 'the screen is left last');
});

test('what a program undid itself is not undone again', () => {
  const tracker = trackerAfter(`${CSI}?1049h${CSI}?25l`, 'x', `${CSI}?25h${CSI}?1049l`);
  assert.equal(tracker.undo(), '');
});

test('apply brings a fresh terminal into the same modes, without the screen', () => {
  const tracker = trackerAfter(`${CSI}?1049h${CSI}?25l${CSI}?1006h${CSI}>1u${CSI}>4;2m`);
  assert.equal(tracker.apply(), `${CSI}?25l${CSI}?1006h${CSI}>4;2m${CSI}>1u`);
});

test('keys of the kitty protocol are popped as often as they were pushed', () => {
  const tracker = trackerAfter(`${CSI}>1u${CSI}>5u`);
  assert.equal(tracker.undo(), `${CSI}<2u`);
  assert.equal(trackerAfter(`${CSI}>1u${CSI}<u`).undo(), '');
  assert.equal(trackerAfter(`${CSI}=5u${CSI}=4;3u`).apply(), `${CSI}>1u`);
});

test('a reset forgets everything', () => {
  assert.equal(trackerAfter(`${CSI}?1049h${CSI}?25l`, '\u001bc').undo(), '');
});

test('undo after apply is nothing, and cutting does not matter', () => {
  const change = fc.constantFrom(
    `${CSI}?25l`,
    `${CSI}?25h`,
    `${CSI}?1000;1006h`,
    `${CSI}?1000l`,
    `${CSI}?7l`,
    '\u001b=',
    '\u001b>',
    `${CSI}4h`,
    `${CSI}3 q`,
    `${CSI}!p`,
    'text',
  );
  fc.assert(
    fc.property(fc.array(change), fc.nat(60), (changes, cut) => {
      const whole = changes.join('');
      const once = trackerAfter(whole);
      assert.equal(trackerAfter(whole.slice(0, cut), whole.slice(cut)).apply(), once.apply());
      assert.equal(trackerAfter(once.apply(), once.undo()).undo(), '');
    }),
  );
});
