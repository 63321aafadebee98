/*
 * E8: attaching paints what the run's screen showed when we arrived, and the past
 * is not replayed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutputEvent } from '@clawdfather/supervisor';
import { createModeTracker, openTerminalModel } from '@clawdfather/tools/terminal';
import { catchUp } from '../../src/terminal/catch-up.ts';
import { outputEvent } from '../support/fake-run.ts';
import { cursor } from '../support/records.ts';

const size = { cols: 40, rows: 6 };
/* The position after the note about us. */
const arrival = cursor('us.0');

const attached = (terminals: number, at = '0.0'): OutputEvent => ({
  kind: 'attached',
  terminals,
  cursor: cursor(at),
});

async function* stream(events: readonly OutputEvent[]): AsyncIterable<OutputEvent> {
  yield* events;
}

async function caughtUp(events: readonly OutputEvent[], { isRunResized = true } = {}) {
  const result = await catchUp({ events: stream(events), until: arrival, size, isRunResized });
  // What has to be undone when we leave is known from the picture alone.
  const tracker = createModeTracker();
  const { text } = result.picture;
  tracker.push(Buffer.from(text));
  return { ...result, picture: text, tracker };
}

/* What a terminal of our size shows after the painting, and what it would say to it. */
async function painted(picture: string) {
  let answered = '';
  const model = await openTerminalModel({ ...size, answer: (text) => void (answered += text) });
  await model.write(picture);
  return { lines: model.screen().lines, answered };
}

const resized: OutputEvent = { kind: 'resize', ...size, cursor: cursor('0.0') };

test('E8: the screen is painted and no old query reaches the terminal', async () => {
  const result = await caughtUp([
    resized,
    outputEvent('\u001b[6n\u001b[c first\r\n\u001b]11;?\u0007'),
    outputEvent(
      '\u001b[?1049h\u001b[2J\u001b[3;5Hfull screen\u001b[?25l\u001b[?1006h\u001b[?1000h',
    ),
    attached(1, arrival),
  ]);
  const { lines, answered } = await painted(result.picture);
  assert.equal(answered, '');
  assert.equal(lines[2], '    full screen');
  for (const mode of ['?1049h', '?25l', '?1006h', '?1000h']) {
    assert.ok(result.picture.includes(`\u001b[${mode}`), mode);
  }
  assert.ok(result.tracker.undo().endsWith('\u001b[?1049l'));
});

test('E8: history ends at the note about us, and at no other', async () => {
  const result = await caughtUp([
    resized,
    attached(1),
    outputEvent('before'),
    attached(0),
    outputEvent(', between'),
    attached(1, arrival),
    outputEvent('\u001b[2Jafter\u001b[6n'),
  ]);
  assert.equal(result.reached, arrival, 'what follows goes to the terminal itself');
  const { lines } = await painted(result.picture);
  assert.equal(lines[0], 'before, between');
});

test('a run that is over, or has forgotten our note, is painted to its end', async () => {
  const events = [resized, outputEvent('all'), outputEvent(' of it', 7)];
  const result = await caughtUp(events);
  assert.equal(result.reached, cursor('7.0'));
  assert.equal((await painted(result.picture)).lines[0], 'all of it');
});

test('of a long history the end is drawn, in the modes that its beginning had set', async () => {
  const noise = Array.from({ length: 100 }, () => outputEvent('x'.repeat(100_000)));
  const result = await caughtUp([
    resized,
    outputEvent('\u001b[?1049h\u001b[?25l'),
    ...noise,
    outputEvent('\u001b[2J\u001b[Hthe end'),
  ]);
  const { lines } = await painted(result.picture);
  assert.equal(lines[0], 'the end');
  assert.ok(result.picture.includes('\u001b[?1049h'));
  assert.ok(result.picture.includes('\u001b[?25l'));
});

test('the painting is laid out for our own size', async () => {
  const wide: OutputEvent = { kind: 'resize', cols: 100, rows: 50, cursor: cursor('0.0') };
  const result = await caughtUp([wide, outputEvent('\u001b[50;1Hbottom')]);
  const { lines } = await painted(result.picture);
  assert.equal(lines.at(-1), 'bottom');
});

for (const isRunResized of [true, false]) {
  const who = isRunResized ? 'that sets the size' : 'that looks on';
  test(`what is typed goes behind the prompt on a terminal ${who}`, async () => {
    const digits = '1234567890'.repeat(5);
    for (const cols of [30, 60, 100]) {
      const ours: OutputEvent = { kind: 'resize', cols, rows: 6, cursor: cursor('0.0') };
      const text = `$ echo ${digits}\r\n${digits}\r\n$ `;
      const { picture } = await caughtUp([ours, outputEvent(text)], { isRunResized });
      const { lines } = await painted(`${picture}typed`);
      const [all] = lines.join('').split('$ typed');
      assert.equal(all, `$ echo ${digits}${digits}`, `from ${cols} columns`);
      assert.equal(lines[4], '$ typed', `from ${cols} columns`);
    }
  });
}

test('a full-screen program that is wider than our terminal is cut, row by row', async () => {
  const wide: OutputEvent = { kind: 'resize', cols: 60, rows: 6, cursor: cursor('0.0') };
  const text = `\u001b[?1049h\u001b[H${'x'.repeat(100)}\u001b[3;55Hlast\u001b[5;3Hhere`;
  for (const isRunResized of [true, false]) {
    const { picture } = await caughtUp([wide, outputEvent(text)], { isRunResized });
    const { lines } = await painted(`${picture}!`);
    assert.deepEqual(lines, ['x'.repeat(40), 'x'.repeat(40), '', '', '  here!', '']);
  }
});

test('the cursor is where it was, whatever the last line is like', async () => {
  const full = '~'.repeat(size.cols);
  const text = `\u001b[?1049h\u001b[2J\u001b[6;1H${full}\u001b[1;1Hfirst `;
  const result = await caughtUp([resized, outputEvent(text)]);
  assert.match(result.picture, /\[1;7H/, 'terminals disagree about moving back from a full line');
  const { lines } = await painted(`${result.picture}second`);
  assert.equal(lines[0], 'first second');
});

test('very many small pieces are as good as few large ones', async () => {
  const text = Array.from({ length: 500_000 }, (_, line) => `${line % 10_000}\r\n`);
  const result = await caughtUp([resized, ...text.map((line) => outputEvent(line))]);
  const { lines } = await painted(result.picture);
  assert.deepEqual(lines.slice(3), ['9998', '9999', '']);
});
