/*
 * The states of a reader, all of them with all events.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextReader, type ReaderEvent, type ReaderState } from '../../src/live/next-reader.ts';

const events = ['full', 'drained', 'overtaken', 'joined', 'finished'] as const;

const table: Readonly<Record<ReaderState, Readonly<Record<ReaderEvent, ReaderState>>>> = {
  live: {
    full: 'waiting',
    drained: 'live',
    overtaken: 'reading',
    joined: 'live',
    finished: 'done',
  },
  waiting: {
    full: 'waiting',
    drained: 'live',
    overtaken: 'behind',
    joined: 'waiting',
    finished: 'done',
  },
  behind: {
    full: 'behind',
    drained: 'reading',
    overtaken: 'behind',
    joined: 'waiting',
    finished: 'done',
  },
  reading: {
    full: 'behind',
    drained: 'reading',
    overtaken: 'reading',
    joined: 'live',
    finished: 'done',
  },
  done: { full: 'done', drained: 'done', overtaken: 'done', joined: 'done', finished: 'done' },
};

test('every state answers every event as the table says', () => {
  for (const [state, row] of Object.entries(table)) {
    for (const event of events) {
      assert.equal(nextReader(state as ReaderState, event), row[event], `${state} + ${event}`);
    }
  }
});

test('a full socket sends nothing until it is drained, and a drained one always goes on', () => {
  const states = Object.keys(table) as readonly ReaderState[];
  const isSending = (state: ReaderState): boolean => state === 'live' || state === 'reading';
  for (const state of states) {
    assert.equal(isSending(nextReader(state, 'full')), false, state);
    assert.equal(isSending(nextReader(state, 'drained')), state !== 'done', state);
  }
});

test('whether a reader is in the window changes only by being overtaken and by joining', () => {
  const isInWindow = (state: ReaderState): boolean => state === 'live' || state === 'waiting';
  for (const state of ['live', 'waiting', 'behind', 'reading'] as const) {
    assert.equal(isInWindow(nextReader(state, 'full')), isInWindow(state));
    assert.equal(isInWindow(nextReader(state, 'drained')), isInWindow(state));
    assert.equal(isInWindow(nextReader(state, 'overtaken')), false);
    assert.equal(isInWindow(nextReader(state, 'joined')), true);
  }
});
