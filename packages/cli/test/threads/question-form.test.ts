/*
 * Forms of agents, filled in line by line.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formFields, readField } from '../../src/threads/question-form.ts';

const form = (properties: unknown, required: readonly string[] = []) => ({
  requestedSchema: { type: 'object', properties, required },
});

test('fields with their titles, choices, and whether they are needed', () => {
  const fields = formFields(
    form(
      {
        name: { type: 'string', title: 'Name', description: 'Your name' },
        size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }, { const: 'l' }] },
      },
      ['name'],
    ),
  );
  assert.deepEqual(fields, [
    { name: 'name', title: 'Your name', type: 'string', isRequired: true, choices: undefined },
    { name: 'size', title: 'size', type: 'string', isRequired: false, choices: ['s', 'l'] },
  ]);
});

test('what no line can hold is not asked here', () => {
  assert.equal(formFields({}), undefined);
  assert.equal(formFields({ mode: 'url', url: 'https://example.org' }), undefined);
  assert.equal(formFields(form({ list: { type: 'array' } })), undefined);
  assert.equal(formFields(form({ broken: null })), undefined);
});

test('a line is a value of its type, nothing, or wrong', () => {
  const field = { name: 'x', title: 'x', isRequired: false, choices: undefined } as const;
  assert.deepEqual(readField({ ...field, type: 'string' }, 'a b'), { kind: 'value', value: 'a b' });
  assert.deepEqual(readField({ ...field, type: 'boolean' }, 'No'), { kind: 'value', value: false });
  assert.deepEqual(readField({ ...field, type: 'number' }, '1.5'), { kind: 'value', value: 1.5 });
  assert.deepEqual(readField({ ...field, type: 'string' }, ''), { kind: 'none' });
  const choices = ['2', 'b'];
  assert.deepEqual(readField({ ...field, type: 'string', choices }, '2'), {
    kind: 'value',
    value: '2',
  });
  assert.deepEqual(readField({ ...field, type: 'string', choices: ['a', 'b'] }, '2'), {
    kind: 'value',
    value: 'b',
  });
  const wrongs = [
    readField({ ...field, type: 'string', isRequired: true }, ''),
    readField({ ...field, type: 'integer' }, '1.5'),
    readField({ ...field, type: 'boolean' }, 'maybe'),
    readField({ ...field, type: 'string', choices }, '3'),
  ];
  for (const { kind } of wrongs) assert.equal(kind, 'wrong');
});
