/*
 * What agents let people choose, from whatever they answer: the older ways and the newer one, and what no agent should send.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findChoice, findValue, currentOf } from '../../src/choices/choice.ts';
import {
  parseChoices,
  parseModeUpdate,
  parseOptionUpdate,
  parseToldChoices,
} from '../../src/choices/parse-choices.ts';

const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask', description: 'Asks before it acts' },
    { id: 'code', name: 'Code' },
  ],
};
const model = {
  id: 'llm',
  name: 'Model',
  category: 'model',
  type: 'select',
  currentValue: 'big',
  options: [
    { group: 'a', name: 'Ours', options: [{ value: 'big', name: 'Big' }] },
    { group: 'b', name: 'Theirs', options: [{ value: 'odd', name: 'Odd', description: 'Slow' }] },
  ],
};

test('modes, models and options become one list', () => {
  const models = { currentModelId: 'm1', availableModels: [{ modelId: 'm1', name: 'One' }] };
  assert.deepEqual(parseChoices({ sessionId: 's', modes, models }), [
    {
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      values: [
        { value: 'ask', name: 'Ask', description: 'Asks before it acts' },
        { value: 'code', name: 'Code' },
      ],
      moreValues: 0,
      current: 'ask',
      way: 'mode',
    },
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      values: [{ value: 'm1', name: 'One' }],
      moreValues: 0,
      current: 'm1',
      way: 'model',
    },
  ]);
  const [found, ...rest] = parseChoices({ configOptions: [model] });
  assert.deepEqual(rest, []);
  assert.deepEqual(found?.values, [
    { value: 'big', name: 'Big', description: 'Ours' },
    { value: 'odd', name: 'Odd', description: 'Slow' },
  ]);
});

test('an agent that tells its modes in both ways has one choice of them, set in the newer way', () => {
  const option = { ...model, id: 'permissions', name: 'Permissions', category: 'mode' };
  const choices = parseChoices({ modes, configOptions: [option, model] });
  assert.deepEqual(
    choices.map(({ id, way }) => `${id} ${way}`),
    ['permissions option', 'llm option'],
  );
});

test('an update changes what it is about, and leaves the rest', () => {
  const before = parseChoices({ modes, configOptions: [model] });
  const after = parseModeUpdate(before, { currentModeId: 'code' });
  assert.deepEqual(
    currentOf(after).map(({ id, valueName }) => `${id}=${valueName}`),
    ['llm=Big', 'mode=Code'],
  );
  const changed = parseOptionUpdate(after, { configOptions: [{ ...model, currentValue: 'odd' }] });
  assert.deepEqual(
    currentOf(changed).map(({ id, valueName }) => `${id}=${valueName}`),
    ['llm=Odd', 'mode=Code'],
  );
});

test('a choice is found by its id or its category, a value by itself or its name', () => {
  const choices = parseChoices({ modes, configOptions: [model] });
  const found = findChoice(choices, 'model');
  assert.ok(found);
  assert.equal(found.id, 'llm');
  assert.equal(findChoice(choices, 'constructor'), undefined);
  assert.equal(findValue(found, 'ODD'), 'odd');
  assert.equal(findValue(found, 'small'), undefined);
});

test('whatever an agent sends, what is kept of it is bounded and can be shown', () => {
  const odd: readonly unknown[] = [null, 1, 'x', [], {}, [null], { availableModes: 'x' }];
  for (const value of odd) {
    const answer = { modes: value, models: value, configOptions: value } as never;
    assert.deepEqual(parseChoices(answer), []);
  }
  const many = Array.from({ length: 5_000 }, (_, index) => ({
    value: `v${index}`,
    name: 'n'.repeat(10_000),
    description: 'd\u0000\n'.repeat(5_000),
  }));
  const huge = Array.from({ length: 100 }, (_, index) => ({
    ...model,
    id: `c${index}`,
    category: 'x'.repeat(1_000),
    currentValue: 'v3999',
    options: many,
  }));
  const choices = parseChoices({ configOptions: huge, modes });
  assert.equal(choices.length, 16);
  assert.ok(JSON.stringify(choices).length < 64_000, `${JSON.stringify(choices).length}`);
  for (const { values, moreValues, category, current } of choices) {
    assert.equal(category, undefined);
    assert.equal(values.length + moreValues, 4_000);
    assert.ok(
      values.some(({ value }) => value === current),
      'the one that is set is told',
    );
  }
});

test('ids and values with characters that nobody sees are left out, and names are made fit', () => {
  const bad = ['a\u0000', 'a\u202eb', 'a\nb', '\ud800', 'a\u200bb', '', ' ', 'x'.repeat(300)];
  const options = [...bad, 'fine'].map((value) => ({ value, name: ` a\u202e\u0007\n b\u0000 ` }));
  const configOptions = [
    ...bad.map((id) => ({ ...model, id })),
    { ...model, currentValue: 'a\u202eb', options },
    { ...model, name: 'again' },
    { ...model, id: 'switch', type: 'boolean', currentValue: true },
  ];
  const [found, ...rest] = parseChoices({ configOptions });
  assert.deepEqual(rest, []);
  assert.deepEqual([found?.id, found?.name, found?.current], ['llm', 'Model', undefined]);
  assert.deepEqual(found?.values, [{ value: 'fine', name: 'a b' }]);
  const known = parseChoices({ modes });
  assert.equal(parseModeUpdate(known, { currentModeId: 'a\u202eb' }), known);
});

test('what an answer that opens a session does not mention was not told, and is kept without how it stands', () => {
  const known = parseChoices({ modes, configOptions: [model] });
  const kept = (answer: object, isNew = false) =>
    parseToldChoices({ ...answer }, { known, isNew })?.map(({ id, current }) => [id, current]);
  for (const nothing of [{}, { modes: null, models: null, configOptions: null }]) {
    assert.equal(kept(nothing), undefined);
    assert.equal(kept(nothing, true), undefined);
  }
  assert.deepEqual(kept({ modes: { ...modes, currentModeId: 'code' } }), [
    ['mode', 'code'],
    ['llm', undefined],
  ]);
  assert.deepEqual(kept({ configOptions: [] }), [['mode', undefined]]);
  // A new session tells of all that there is.
  assert.deepEqual(kept({ modes }, true), [['mode', 'ask']]);
  assert.deepEqual(kept({ configOptions: [] }, true), []);
});
