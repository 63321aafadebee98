/*
 * E8: attaching paints what the run's screen shows, answers nothing of the past,
 * and answers what is asked between our arrival and the painting.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import type { OutputEvent } from '@clawdfather/supervisor';
import { createEventFeed } from '../../src/runs/event-feed.ts';
import { catchUp } from '../../src/terminal/catch-up.ts';
import { createModeTracker } from '../../src/terminal/mode-tracker.ts';
import { createScreenModel } from '../../src/terminal/screen-model.ts';
import { outputEvent } from '../support/fake-run.ts';
import { cursor } from '../support/records.ts';

const size = { cols: 40, rows: 6 };
const clock = createSystemClock();
const attached = (terminals: number): OutputEvent => ({
  kind: 'attached',
  terminals,
  cursor: cursor('0.0'),
});

async function* stream(events: readonly OutputEvent[]): AsyncIterable<OutputEvent> {
  yield* events;
}

async function caughtUp(events: readonly OutputEvent[], isAnswerer = true) {
  const tracker = createModeTracker();
  const result = await catchUp({
    feed: createEventFeed(stream(events), clock),
    size,
    isAnswerer,
    arrivedAtMs: 1_000,
    elapsedMs: () => 0,
    tracker,
  });
  return { ...result, tracker };
}

/* What a terminal of our size shows after the painting, and what it would say to it. */
async function painted(picture: string) {
  let answered = '';
  const model = createScreenModel({ size, answer: (text) => void (answered += text) });
  await model.write(picture);
  return { lines: model.lines(), answered };
}

const resized: OutputEvent = { kind: 'resize', ...size, cursor: cursor('0.0') };

test('E8: the screen is painted and no old query reaches the terminal', async () => {
  const result = await caughtUp([
    resized,
    outputEvent('\u001b[6n\u001b[c first\r\n\u001b]11;?\u0007'),
    outputEvent(
      '\u001b[?1049h\u001b[2J\u001b[3;5Hfull screen\u001b[?25l\u001b[?1006h\u001b[?1000h',
    ),
    attached(1),
  ]);
  const { lines, answered } = await painted(result.picture);
  assert.equal(answered, '');
  assert.equal(result.answers, '');
  assert.equal(lines[2], '    full screen');
  for (const mode of ['?1049h', '?25l', '?1006h', '?1000h']) {
    assert.ok(result.picture.includes(`\u001b[${mode}`), mode);
  }
  assert.ok(result.tracker.undo().endsWith('\u001b[?1049l'));
});

test('E8: what is asked after we came and before we paint is answered from the model', async () => {
  const events = [resized, outputEvent('\u001b[5n'), attached(1), outputEvent('ab\u001b[6n')];
  assert.equal((await caughtUp(events)).answers, '\u001b[1;3R');
  assert.equal((await caughtUp(events, false)).answers, '', 'a watcher answers nothing');
});

test('E8: an earlier visitor is not taken for us', async () => {
  const events = [
    resized,
    attached(1),
    outputEvent('\u001b[5n'),
    attached(0),
    outputEvent('\u001b[5n'),
    attached(1),
    outputEvent('\u001b[6n'),
  ];
  assert.equal((await caughtUp(events)).answers, '\u001b[1;1R');
});

test('of a long history the end is drawn, in the modes that its beginning had set', async () => {
  const noise = Array.from({ length: 40 }, () => outputEvent('x'.repeat(100_000)));
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
  assert.deepEqual(result.runSize, { cols: 100, rows: 50 });
  const { lines } = await painted(result.picture);
  assert.equal(lines.at(-1), 'bottom');
});

test('a run that never pauses is painted as it was when we came', async () => {
  async function* endless(): AsyncIterable<OutputEvent> {
    yield resized;
    for (let atMs = 900; ; atMs += 50) yield { ...outputEvent(`\r\nat ${atMs}`), atMs };
  }
  const feed = createEventFeed(endless(), clock);
  const tracker = createModeTracker();
  const options = { feed, size, isAnswerer: true, arrivedAtMs: 1_000, elapsedMs: () => 0, tracker };
  const { picture } = await catchUp(options);
  const { lines } = await painted(picture);
  assert.equal(lines.filter(Boolean).at(-1), 'at 1050');
  const next = await feed.next();
  assert.equal(next.kind === 'event' && next.event.kind === 'output' && next.event.atMs, 1_100);
});
