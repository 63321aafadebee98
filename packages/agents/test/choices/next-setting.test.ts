/*
 * The steps of values that are being set, one by one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lateMax, nextSetting, type Setting, type SettingEvent } from '@clawdfather/agents';

function call(callId: number, value = 'plan', choiceId = 'mode') {
  return { choiceId, value, callId, atMs: callId };
}

function told(callId: number, turnId = 'one', value = 'plan'): SettingEvent {
  return { type: 'told', turnId, call: call(callId, value) };
}

function after(...events: readonly SettingEvent[]): Setting | undefined {
  return events.reduce<Setting | undefined>(nextSetting, undefined);
}

const taken: SettingEvent = { type: 'answered', turnId: 'one' };
const givenUp: SettingEvent = { type: 'given-up', turnId: 'one', why: 'no answer' };

test('what was tried is kept for its turn, and the answer counts for the turn that waits for it', () => {
  const refused: SettingEvent = { type: 'answered', turnId: 'one', why: 'not today' };
  const tried = after(told(1), refused)?.tried;
  assert.deepEqual(
    tried?.map(({ value, why }) => [value, why]),
    [['plan', 'not today']],
  );
  assert.equal(after(told(1), taken)?.call, undefined);
  assert.equal(after(told(1), taken, told(2))?.tried.length, 1);
  assert.deepEqual(after(told(1), taken, told(2, 'two'))?.tried, []);
  const later = after(told(1), { type: 'answered', turnId: 'two' });
  assert.deepEqual([later?.turnId, later?.tried.length], ['two', 1]);
  assert.equal(after(told(1), taken, { type: 'prompted' }), undefined);
});

test('a call that was given up is late until it is answered, and a later answer passes it', () => {
  const late = after(told(1), givenUp);
  assert.deepEqual(late?.late, [{ choiceId: 'mode', value: 'plan', callId: 1 }]);
  const passed = nextSetting(nextSetting(late, told(2)), taken);
  assert.deepEqual(
    passed?.late?.map(({ callId, isPassed }) => [callId, isPassed]),
    [[1, true]],
  );
  assert.deepEqual(nextSetting(passed, { type: 'prompted' })?.late, passed?.late);
  const other = nextSetting(
    nextSetting(late, { type: 'told', turnId: 'one', call: call(2, 'large', 'model') }),
    taken,
  );
  assert.equal(other?.late?.[0]?.isPassed, undefined, 'it says nothing about the mode');
  const answered = nextSetting(passed, { type: 'late-answered', callId: 1 });
  assert.equal(answered && nextSetting(answered, { type: 'prompted' }), undefined);
  const many = Array.from({ length: 30 }, (_, index) => [told(index + 1), givenUp]).flat();
  assert.deepEqual(
    after(...many)?.late?.map(({ callId }) => callId),
    Array.from({ length: lateMax }, (_, index) => 31 - lateMax + index),
  );
});

test('who chooses anew begins anew, and is remembered with what was shown', () => {
  const chosen: SettingEvent = { type: 'chosen', choiceId: 'mode', shown: 'ask' };
  assert.equal(after(told(1), taken, chosen), undefined);
  assert.equal(after(told(1), taken, { ...chosen, choiceId: 'model' })?.tried.length, 1);
  assert.equal(after(told(1), chosen)?.call?.shown, 'ask');
  assert.equal(after(told(1), { ...chosen, choiceId: 'model' })?.call?.shown, undefined);
  assert.equal(after(told(1), chosen, taken)?.tried[0]?.shown, 'ask');
});

test('what does not fit changes nothing', () => {
  const misfits: readonly SettingEvent[] = [
    taken,
    givenUp,
    { type: 'late-answered', callId: 1 },
    { type: 'chosen', choiceId: 'mode' },
    { type: 'prompted' },
  ];
  for (const misfit of misfits) assert.equal(nextSetting(undefined, misfit), undefined);
  const before = after(told(1), taken);
  assert.equal(before && nextSetting(before, givenUp), before);
});
