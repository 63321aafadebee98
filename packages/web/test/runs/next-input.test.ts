/*
 * Input whose answer is lost: every state with every event, and what a program reads of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  goesWithDoubt,
  type InputEvent,
  type InputState,
  nextInput,
} from '../../src/runs/next-input.ts';
import { withoutLate } from '../../src/runs/piped-input.ts';

const sure: InputState = { kind: 'sure', offset: 10 };
const sending: InputState = { kind: 'sending', offset: 10, data: 'é\n', doubt: undefined };
const doubtful: InputState = { kind: 'doubtful', offset: 10, data: 'é\n' };
/* In bytes. */
const end = 13;

test('what happens in every state', () => {
  const arrived: InputState = { kind: 'sure', offset: end, late: 'é\n' };
  const at = (offset: number): InputState => ({ kind: 'sure', offset });
  type Row = readonly [InputEvent, sure: InputState, sending: InputState, doubtful: InputState];
  const table: readonly Row[] = [
    [{ kind: 'given', data: 'é\n' }, sending, sending, { ...sending, doubt: 'é\n' }],
    [{ kind: 'taken', inputOffset: end }, sure, at(end), doubtful],
    [{ kind: 'misplaced', inputOffset: 5 }, sure, at(5), doubtful],
    [{ kind: 'unanswered' }, sure, doubtful, doubtful],
    [{ kind: 'told', inputOffset: 5 }, sure, sending, doubtful],
    [{ kind: 'told', inputOffset: end - 1 }, at(end - 1), sending, doubtful],
    [{ kind: 'told', inputOffset: end }, at(end), sending, arrived],
    [{ kind: 'asked', inputOffset: 10 }, sure, sending, sure],
    [{ kind: 'asked', inputOffset: end }, at(end), sending, arrived],
  ];
  for (const [event, ...expected] of table) {
    const next: readonly InputState[] = [sure, sending, doubtful].map((state) =>
      nextInput(state, event),
    );
    assert.deepEqual(next, expected, event.kind);
  }
});

test('what is in doubt stays so when it was tried again in vain, also behind the end of the input', () => {
  const again = nextInput(doubtful, { kind: 'given', data: 'é\nmore' });
  assert.deepEqual(nextInput(again, { kind: 'unanswered' }), { ...doubtful, data: 'é\nmore' });
  const ending = nextInput(doubtful, { kind: 'given', data: '' });
  assert.deepEqual(nextInput(ending, { kind: 'unanswered' }), doubtful);
  const endOnly = nextInput(sure, { kind: 'given', data: '' });
  assert.deepEqual(nextInput(endOnly, { kind: 'unanswered' }), sure);
});

test('only what begins with what is in doubt is sent without asking', () => {
  assert.equal(goesWithDoubt(doubtful, 'é\n'), true);
  assert.equal(goesWithDoubt(doubtful, 'é\nmore\n'), true);
  assert.equal(goesWithDoubt(doubtful, 'e\n'), false);
  assert.equal(goesWithDoubt(doubtful, ''), false);
  assert.equal(goesWithDoubt(sure, 'e\n'), true);
});

test('words that had arrived leave the field, and what was typed behind them stays', () => {
  assert.equal(withoutLate('y', 'y\n'), '');
  assert.equal(withoutLate('y', 'y'), '');
  assert.equal(withoutLate('y\nmore', 'y\n'), 'more');
  assert.equal(withoutLate('something else', 'y\n'), 'something else');
});
