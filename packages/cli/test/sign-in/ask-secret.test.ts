/*
 * A secret that is typed or pasted: nothing of it is shown, and the terminal is put back whatever happens.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askSecret } from '../../src/sign-in/ask-secret.ts';
import { createFakeIo, createFakeTerminal } from '../support/fake-io.ts';

async function* typed(...pieces: string[]): AsyncIterable<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

function atTerminal(...pieces: string[]) {
  const terminal = createFakeTerminal({ cols: 80, rows: 24 });
  const io = createFakeIo({ input: typed(...pieces), isTerminal: true, terminal });
  return { io, terminal };
}

test('a pasted line is taken up to Enter, corrected with Backspace, and never echoed', async () => {
  const { io, terminal } = atTerminal('\r', 'clf_seX', '\u007fcret', '\rmore');
  assert.equal(await askSecret(io, 'Token: '), 'clf_secret');
  assert.deepEqual(terminal.calls, ['raw', 'cooked']);
  assert.equal(io.err(), 'Token: \n');
  assert.equal(io.out(), '');
});

test('Ctrl-C gives it up and puts the terminal back', async () => {
  const { io, terminal } = atTerminal('half\u0003');
  await assert.rejects(askSecret(io, 'Token: '), { code: 'usage' });
  assert.deepEqual(terminal.calls, ['raw', 'cooked']);
});

test('without a terminal it is the first line of stdin; nothing is a mistake', async () => {
  assert.equal(await askSecret(createFakeIo({ input: typed('link\nrest\n') }), ''), 'link');
  await assert.rejects(askSecret(createFakeIo({ input: typed('\n') }), ''), { code: 'usage' });
  const long = createFakeIo({ input: typed('x'.repeat(5_000)) });
  await assert.rejects(askSecret(long, ''), /too long/);
});
