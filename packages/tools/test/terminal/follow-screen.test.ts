/*
 * Following a screen: each look is what a model that saw everything would show, at the cost of what is new.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManagedRun, OutputEvent } from '@clawdfather/supervisor';
import { openScreenFollower } from '../../src/terminal/follow-screen.ts';
import { replayOutput } from '../../src/terminal/replay-output.ts';
import { openTerminalModel } from '../../src/terminal/terminal-model.ts';
import { cursor, outputEvent, resizeEvent, stream } from './output-events.ts';

/* A run whose journal is an array; `reads` counts the events that were asked for. */
function createJournal() {
  const events: OutputEvent[] = [];
  const journal = {
    reads: 0,
    say: (text: string) => void events.push(outputEvent(text, events.length + 1)),
    resize: (cols: number, rows: number) =>
      void events.push({ ...resizeEvent(cols, rows), cursor: cursor(`${events.length + 1}.0`) }),
    async *outputSoFar(from, signal) {
      const start = events.findIndex((event) => event.cursor === from) + 1;
      for (const event of events.slice(start)) {
        signal?.throwIfAborted();
        journal.reads += 1;
        yield event;
      }
    },
  } satisfies Pick<ManagedRun, 'outputSoFar'> & Record<string, unknown>;
  return journal;
}

test('each look shows the screen of now, and reads only what is new', async () => {
  const journal = createJournal();
  const follower = openScreenFollower(journal);
  journal.resize(30, 4);
  journal.say('one\r\n');
  const first = await follower.look();
  assert.deepEqual(first.screen.lines, ['one', '', '', '']);
  assert.equal(first.screen.cols, 30);
  assert.equal(journal.reads, 2);
  journal.say('two \u001b[?1h\u001b[?2004h');
  const second = await follower.look();
  assert.deepEqual(second.screen.lines, ['one', 'two', '', '']);
  assert.deepEqual(second.modes, {
    applicationCursor: true,
    applicationKeypad: false,
    bracketedPaste: true,
  });
  assert.equal(second.cursor, '3.0');
  assert.equal(journal.reads, 3);
  assert.deepEqual(await follower.look(), second, 'nothing new, nothing changed');
  await follower.close();
});

test('a picture paints the screen of the same look, in its modes, and reads only what is new', async () => {
  const journal = createJournal();
  const follower = openScreenFollower(journal);
  journal.resize(30, 4);
  journal.say('\u001b[31mred\u001b[0m \u001b[6n\u001b[?25l\u001b[?1006h');
  const painted = await follower.paint();
  assert.equal(painted.screen.lines[0], 'red');
  assert.equal(painted.cursor, '2.0');
  let answered = '';
  const terminal = await openTerminalModel({
    cols: 30,
    rows: 4,
    answer: (text) => void (answered += text),
  });
  await terminal.write(painted.picture);
  assert.deepEqual(terminal.screen(), painted.screen);
  assert.equal(answered, '', 'no question of the past is asked again');
  for (const part of ['\u001b[31m', '\u001b[?25l', '\u001b[?1006h']) {
    assert.ok(painted.picture.includes(part), JSON.stringify(part));
  }
  journal.say('more');
  const [again, looked] = await Promise.all([follower.paint(), follower.look()]);
  assert.equal(journal.reads, 3);
  const { picture, ...screen } = again;
  assert.deepEqual(screen, looked);
  await terminal.write(`\u001bc${picture}`);
  assert.deepEqual(terminal.screen(), looked.screen);
  terminal.close();
  await follower.close();
});

test('nothing said yet is an empty screen of the usual size', async () => {
  const follower = openScreenFollower(createJournal());
  const { screen, cursor: reached } = await follower.look();
  assert.deepEqual([screen.cols, screen.rows], [120, 30]);
  assert.equal(reached, undefined);
  await follower.close();
});

test('looks at the same time wait for each other', async () => {
  const journal = createJournal();
  journal.say('a');
  const follower = openScreenFollower(journal);
  const looks = await Promise.all([follower.look(), follower.look(), follower.look()]);
  for (const { screen } of looks) assert.equal(screen.lines[0], 'a');
  await follower.close();
});

test('a look that was given up costs the next one a fresh start, and nothing else', async () => {
  const journal = createJournal();
  journal.say('a');
  const follower = openScreenFollower(journal);
  await follower.look();
  journal.say('b');
  await assert.rejects(follower.look(AbortSignal.abort(new Error('enough'))), /enough/);
  assert.equal((await follower.look()).screen.lines[0], 'ab');
  await follower.close();
});

test('when very much was said in between, its end is drawn in the modes of its beginning', async () => {
  const journal = createJournal();
  journal.resize(40, 5);
  journal.say('old');
  const follower = openScreenFollower(journal);
  await follower.look();
  journal.say('\u001b[?1049h\u001b[?1h\u001b[?25l\u001b]0;日本\u0007');
  journal.resize(50, 6);
  for (let at = 0; at < 100; at += 1) journal.say(`${'x'.repeat(99_998)}\r\n`);
  journal.say('\u001b[2J\u001b[Hthe end');
  const { screen, modes, skippedBytes } = await follower.look();
  assert.equal(screen.lines[0], 'the end');
  assert.equal(screen.isAlternate, true);
  assert.equal(screen.cursor.isVisible, false);
  assert.deepEqual([screen.cols, screen.rows], [50, 6]);
  assert.equal(screen.title, '日本');
  assert.equal(modes.applicationCursor, true);
  assert.ok(skippedBytes > 1_000_000);
  await follower.close();
});

test('where output was lost, what follows is not read as the rest of a sequence', async () => {
  const { model } = await replayOutput({
    events: stream([
      resizeEvent(20, 2),
      outputEvent('a\u001b]0;half a title'),
      { kind: 'gap', missedBytes: 10, cursor: cursor('5.0') },
      outputEvent('b'),
    ]),
  });
  assert.equal(model.screen().lines[0], 'ab');
  model.close();
});

test('a replay is what a model shows that saw every byte', async () => {
  const outputs = Array.from(
    { length: 200 },
    (_, at) => `\u001b[${(at % 6) + 1};${(at % 30) + 1}Hline ${at}\u001b[3${at % 8}m`,
  );
  const all = await openTerminalModel({ cols: 40, rows: 6 });
  await all.write(outputs.join(''));
  const events = [resizeEvent(40, 6), ...outputs.map((text) => outputEvent(text))];
  const { model, skippedBytes } = await replayOutput({ events: stream(events) });
  assert.deepEqual(model.screen(), all.screen());
  assert.equal(skippedBytes, 0);
  model.close();
  all.close();
});
