/*
 * Lines that answer a question, and lines that do not.
 */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { openTypedLines } from '../../src/threads/typed-lines.ts';
import { readPrompt } from '../../src/threads/read-prompt.ts';
import { createFakeIo } from '../support/fake-io.ts';

function openKeys() {
  const keys = new PassThrough();
  return { keys, io: createFakeIo({ input: keys, isTerminal: true }) };
}

/* Resolves when what was typed has been read. */
async function type(keys: PassThrough, text: string): Promise<void> {
  keys.write(text);
  while (keys.readableLength > 0) await new Promise(setImmediate);
  await new Promise(setImmediate);
}

test('a line counts only while a question is open', async () => {
  const { keys, io } = openKeys();
  const { signal } = new AbortController();
  const lines = openTypedLines(io);
  await type(keys, '1\n2\n');
  const first = lines.next(signal);
  await type(keys, ' 3 \n4\n');
  assert.equal(await first, '3');
  const second = lines.next(signal);
  await type(keys, 'fi');
  await type(keys, 've\r');
  assert.equal(await second, 'five');
  keys.end();
  await lines[Symbol.asyncDispose]();
});

test('a question that is over waits for nothing, and so does one without input', async () => {
  const { keys, io } = openKeys();
  const over = new AbortController();
  const lines = openTypedLines(io);
  const asked = lines.next(over.signal);
  over.abort();
  assert.equal(await asked, undefined);
  const last = lines.next(new AbortController().signal);
  keys.end();
  assert.equal(await last, undefined);
  assert.equal(await lines.next(new AbortController().signal), undefined);
  await lines[Symbol.asyncDispose]();
});

async function* inputOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

test('what is said: words, the input in the place of a last -, or the input alone', async () => {
  const piped = (text: string) => createFakeIo({ input: inputOf(text) });
  assert.equal(await readPrompt(piped('x'), ['fix', 'it']), 'fix it');
  assert.equal(await readPrompt(piped('diff\n'), ['review', '-']), 'review\n\ndiff\n');
  assert.equal(await readPrompt(piped('all\n'), ['-']), 'all\n');
  assert.equal(await readPrompt(piped('all\n'), []), 'all\n');
  await assert.rejects(readPrompt(piped(' \n'), []), { code: 'usage' });
  await assert.rejects(readPrompt(createFakeIo({ isTerminal: true }), []), { code: 'usage' });
  await assert.rejects(readPrompt(piped('x'.repeat(1_000_001)), ['-']), { code: 'usage' });
});
