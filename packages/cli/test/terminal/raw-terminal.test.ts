/*
 * A lent terminal is given back once, however the process ends.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRawTerminal } from '../../src/terminal/raw-terminal.ts';
import { createFakeIo, createFakeTerminal } from '../support/fake-io.ts';

function lend() {
  const ends = new Set<() => void>();
  const io = {
    ...createFakeIo(),
    onProcessEnd: (work: () => void) => {
      ends.add(work);
      return { [Symbol.dispose]: () => void ends.delete(work) };
    },
  };
  const terminal = createFakeTerminal({ cols: 80, rows: 24 });
  const raw = openRawTerminal(io, terminal, { undo: () => 'UNDO' });
  return { io, ends, terminal, raw };
}

test('modes are undone before the terminal is cooked again', () => {
  const { terminal, raw, ends } = lend();
  raw[Symbol.dispose]();
  assert.deepEqual(terminal.calls, ['raw', '"UNDO"', 'cooked']);
  assert.equal(ends.size, 0, 'nothing is left to do at the end');
});

test('a crash gives it back too, and only once', () => {
  const { terminal, raw, ends } = lend();
  for (const work of ends) work();
  raw[Symbol.dispose]();
  assert.deepEqual(terminal.calls, ['raw', '"UNDO"', 'cooked']);
});

test('after a stop by the shell it is raw again', () => {
  const { terminal, io, raw } = lend();
  io.raise('SIGCONT');
  assert.deepEqual(terminal.calls, ['raw', 'raw']);
  raw[Symbol.dispose]();
});
