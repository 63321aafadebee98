/*
 * A decision on its way, in every state and with every event.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Decision,
  type DecisionEvent,
  nextDecision,
} from '../../src/approvals/next-decision.ts';

const problem = {
  text: 'No.',
  hint: undefined,
  traceId: undefined,
  kind: 'refused',
} as const;
const open: Decision<string> = { kind: 'open', note: undefined };
const start = { monotonicMs: 5_000, wallMs: 1_000_000 };
const holding: Decision<string> = {
  kind: 'holding',
  choice: 'allow',
  since: start,
  undoMs: 2_000,
};
const sending: Decision<string> = { kind: 'sending', choice: 'allow' };
const answered: Decision<string> = { kind: 'answered', choice: 'allow' };
const states = [open, holding, sending, answered];
const chosen: DecisionEvent<string> = {
  kind: 'chosen',
  choice: 'allow',
  at: start,
  undoMs: 2_000,
};
const left: Decision<string> = { kind: 'open', note: { kind: 'left' } };

/* So long after it was chosen, by each of the clocks. */
function due(monotonicMs: number, wallMs = monotonicMs): DecisionEvent<string> {
  const at = {
    monotonicMs: start.monotonicMs + monotonicMs,
    wallMs: start.wallMs + wallMs,
  };
  return { kind: 'due', at };
}

/* Every arrow; whatever is not here stays as it is. */
const arrows: readonly (readonly [Decision<string>, DecisionEvent<string>, Decision<string>])[] = [
  [open, chosen, holding],
  [open, { ...chosen, undoMs: 0 }, sending],
  [holding, { kind: 'taken-back' }, { kind: 'open', note: { kind: 'taken-back' } }],
  [holding, { kind: 'left' }, { kind: 'open', note: { kind: 'left' } }],
  [holding, { kind: 'cut-off' }, { kind: 'open', note: { kind: 'cut-off' } }],
  [holding, due(2_000), sending],
  [holding, due(3_000), sending],
  // The clock of the wall was set back meanwhile.
  [holding, due(2_000, -60_000), sending],
  // It slept: one clock tells of it, or the other, or both.
  [holding, due(3_001), left],
  [holding, due(2_000, 3_001), left],
  [holding, due(2_000, 8 * 3_600_000), left],
  [holding, due(8 * 3_600_000, 2_000), left],
  [sending, { kind: 'answered' }, answered],
  [sending, { kind: 'refused', problem }, { kind: 'open', note: { kind: 'refused', problem } }],
];

const events: readonly DecisionEvent<string>[] = [
  ...arrows.map(([, event]) => event),
  due(1_999),
  due(1_999, 8 * 3_600_000),
];

test('each state goes where its arrow leads, and nowhere else', () => {
  for (const state of states) {
    for (const event of events) {
      const arrow = arrows.find(([from, by]) => from === state && by === event);
      assert.deepEqual(
        nextDecision(state, event),
        arrow?.[2] ?? state,
        `${state.kind} ${event.kind}`,
      );
    }
  }
});

test('nothing is sent that was taken back, left or cut off before its time', () => {
  for (const kind of ['taken-back', 'left', 'cut-off'] as const) {
    const back: Decision<string> = nextDecision(nextDecision(open, chosen), { kind });
    assert.equal(nextDecision(back, due(2_500)).kind, 'open');
  }
});
