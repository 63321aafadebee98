/*
 * E8: queries of a run with no terminal are answered once, from the model, and
 * not while a terminal is attached.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openQueryAnswerer } from '../../src/terminal/query-answerer.ts';
import { cursor, outputEvent } from './output-events.ts';

async function answersTo(
  ...outputs: (string | { terminals: number } | { cols: number; rows: number })[]
) {
  const answers: string[] = [];
  const answerer = await openQueryAnswerer({
    size: { cols: 80, rows: 24 },
    answer: async (text) => void answers.push(text),
  });
  for (const output of outputs) {
    if (typeof output === 'string') await answerer.push(outputEvent(output));
    else if ('terminals' in output) {
      await answerer.push({ kind: 'attached', ...output, cursor: cursor('0.0') });
    } else await answerer.push({ kind: 'resize', ...output, cursor: cursor('0.0') });
  }
  await answerer.settled();
  answerer.close();
  return answers.join('');
}

test('E8: position, attributes, modes, colours and sizes are answered', async () => {
  assert.equal(await answersTo('ab\u001b[6n'), '\u001b[1;3R');
  assert.equal(await answersTo('\u001b[c'), '\u001b[?1;2c');
  assert.equal(await answersTo('\u001b[?25$p'), '\u001b[?25;1$y');
  assert.equal(await answersTo('\u001b]11;?\u0007'), '\u001b]11;rgb:0000/0000/0000\u001b\\');
  assert.equal(await answersTo('\u001b]4;1;?\u001b\\'), '\u001b]4;1;rgb:cdcd/0000/0000\u001b\\');
  assert.equal(await answersTo('\u001b[18t'), '\u001b[8;24;80t');
  assert.equal(await answersTo('\u001b[>q'), '\u001bP>|clawdfather\u001b\\');
  assert.equal(await answersTo('\u001bP+q544e\u001b\\'), '\u001bP0+r\u001b\\');
});

test('E8: a query that is split over two pieces of output is answered once', async () => {
  assert.equal(await answersTo('\u001b[', '6', 'n'), '\u001b[1;1R');
});

test('E8: while a terminal is attached it answers, and we do not', async () => {
  const answers = await answersTo(
    '\u001b[5n',
    { terminals: 1 },
    '\u001b[6n',
    { terminals: 0 },
    '\u001b[5n',
  );
  assert.equal(answers, '\u001b[0n\u001b[0n');
});

test('the size follows the run', async () => {
  assert.equal(await answersTo({ cols: 40, rows: 10 }, '\u001b[18t'), '\u001b[8;10;40t');
});

test('E8: history is answered by nobody, and its screen is known when the live output begins', async () => {
  const answers: string[] = [];
  const answerer = await openQueryAnswerer({
    size: { cols: 80, rows: 24 },
    answer: async (text) => void answers.push(text),
  });
  const past = { isLive: false };
  await answerer.push({ kind: 'resize', cols: 60, rows: 10, cursor: cursor('0.0') }, past);
  await answerer.push(outputEvent('abc\u001b[6n\u001b[c\u001b['), past);
  // A query that began in the past and ends now is asked now.
  await answerer.push(outputEvent('6n'));
  await answerer.push(outputEvent('\r\n\u001b[18t\u001b[6n'));
  await answerer.settled();
  answerer.close();
  assert.equal(answers.join(''), '\u001b[1;4R\u001b[8;10;60t\u001b[2;1R');
});

test('E8: a terminal that came in the past still answers', async () => {
  const answers: string[] = [];
  const answerer = await openQueryAnswerer({
    size: { cols: 80, rows: 24 },
    answer: async (text) => void answers.push(text),
  });
  await answerer.push({ kind: 'attached', terminals: 1, cursor: cursor('0.0') }, { isLive: false });
  await answerer.push(outputEvent('\u001b[5n'));
  await answerer.push({ kind: 'attached', terminals: 0, cursor: cursor('0.0') });
  await answerer.push(outputEvent('\u001b[6n'));
  await answerer.settled();
  answerer.close();
  assert.deepEqual(answers, ['\u001b[1;1R']);
});

test('E8: answers go out one after the other, in the order of the questions', async () => {
  const answers: string[] = [];
  const slow = Promise.withResolvers<void>();
  const answerer = await openQueryAnswerer({
    size: { cols: 80, rows: 24 },
    answer: async (text) => {
      if (answers.length === 0) await slow.promise;
      answers.push(text);
    },
  });
  await answerer.push(outputEvent('\u001b[5n'));
  await answerer.push(outputEvent('x\u001b[6n'));
  slow.resolve();
  await answerer.settled();
  answerer.close();
  assert.deepEqual(answers, ['\u001b[0n', '\u001b[1;2R']);
});

test('a program that asks on and on without reading has a bounded number of answers waiting', async () => {
  const { promise: isReading, resolve: read } = Promise.withResolvers<void>();
  let answers = 0;
  const answerer = await openQueryAnswerer({
    size: { cols: 80, rows: 24 },
    answer: async () => {
      await isReading;
      answers += 1;
    },
  });
  await answerer.push(outputEvent('\u001b[6n'.repeat(100_000)));
  read();
  await answerer.settled();
  assert.ok(answers >= 256 && answers <= 10_000, `${answers} answers`);
  // It reads again, so it is answered again.
  const before = answers;
  await answerer.push(outputEvent('\u001b[6n'));
  await answerer.settled();
  assert.equal(answers, before + 1);
  answerer.close();
});
