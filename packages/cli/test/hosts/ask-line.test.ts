/*
 * Questions that are answered line by line, also by what was typed before they were asked.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openQuestions } from '../../src/hosts/ask-line.ts';
import { createFakeIo } from '../support/fake-io.ts';

async function* typed(...pieces: string[]): AsyncIterable<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

test('each line answers one question, however the lines come', async () => {
  const io = createFakeIo({ input: typed('\n', 'fir', 'st \nsecond\nthi', 'rd\n') });
  await using questions = openQuestions(io);
  assert.equal(await questions.ask('1? '), '');
  assert.equal(await questions.ask('2? '), 'first');
  assert.equal(await questions.ask('3? '), 'second');
  assert.equal(await questions.ask('4? '), 'third');
  assert.equal(await questions.ask('5? '), undefined, 'the input has ended');
  assert.equal(io.err(), '1? 2? 3? 4? 5? \n');
});

test('only yes is a yes', async () => {
  const io = createFakeIo({ input: typed('y\nYES\n\nno\nyep\n') });
  await using questions = openQuestions(io);
  const answers = [];
  for (let count = 0; count < 6; count += 1) answers.push(await questions.confirm('Sure?'));
  assert.deepEqual(answers, [true, true, false, false, false, false]);
});
