/*
 * Forms of questions: which fields a schema asks for, and what is sent for what was typed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOfForm, firstValues, parseFormFields } from '../../src/approvals/form-fields.ts';

const schema = {
  type: 'object',
  required: ['name', 'count', 'colour'],
  properties: {
    name: { type: 'string', title: 'Na\u202eme', minLength: 2, maxLength: 4, description: 'Who' },
    count: { type: 'integer', minimum: 1, maximum: 5 },
    share: { type: 'number' },
    sure: { type: 'boolean', default: true },
    colour: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'], default: 'g' },
    size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
    days: { type: 'array', items: { anyOf: [{ const: 'mo' }, { const: 'tu' }] }, maxItems: 1 },
    deep: { type: 'object' },
  },
};
const fields = parseFormFields(schema);

test('every kind of field is known by its schema; hidden characters in titles are shown', () => {
  assert.deepEqual(
    fields.map(({ name, kind, isRequired }) => [name, kind, isRequired]),
    [
      ['name', 'text', true],
      ['count', 'number', true],
      ['share', 'number', false],
      ['sure', 'yes-no', false],
      ['colour', 'choice', true],
      ['size', 'choice', false],
      ['days', 'choices', false],
      ['deep', 'unknown', false],
    ],
  );
  assert.equal(fields[0]?.title, 'Na\\u202eme');
  assert.deepEqual(firstValues(schema), { sure: true, colour: 'g' });
});

test('what was typed becomes content of the right types; what is empty and optional is left out', () => {
  const values = { name: 'Ann', count: '3', share: '0.5', sure: true, colour: 'r', days: ['tu'] };
  assert.deepEqual(answerOfForm(fields, values), {
    kind: 'content',
    content: { name: 'Ann', count: 3, share: 0.5, sure: true, colour: 'r', days: ['tu'] },
  });
  assert.deepEqual(answerOfForm(fields, { name: 'Bo', count: '1', colour: 'g' }), {
    kind: 'content',
    content: { name: 'Bo', count: 1, sure: false, colour: 'g' },
  });
});

test('a number that is one of several is chosen, and sent as a number', () => {
  const numbers = parseFormFields({
    properties: {
      port: { type: 'integer', enum: [80, 443], default: 443 },
      ports: { type: 'array', items: { enum: [80, 443] } },
    },
  });
  assert.deepEqual(
    numbers.map(({ kind }) => kind),
    ['choice', 'unknown'],
  );
  const answer = answerOfForm(numbers, { port: '443' });
  assert.deepEqual(answer, { kind: 'content', content: { port: 443 } });
});

test('a moment is sent with its seconds and its zone, whichever zone the browser is in', () => {
  const when = { properties: { when: { type: 'string', format: 'date-time' } } };
  const withDefault = (usual: string) =>
    firstValues({ properties: { when: { ...when.properties.when, default: usual } } });
  const answer = (value: string) => answerOfForm(parseFormFields(when), { when: value });
  const content = { when: new Date(2026, 10, 19, 22, 15).toISOString() };
  assert.match(content.when, /T\d\d:\d\d:00\.000Z$/);
  assert.deepEqual(answer('2026-11-19T22:15'), { kind: 'content', content });
  assert.equal(answer('soon').kind, 'problems');
  // What a schema offers is shown in the field, and is the same moment when it is sent.
  const usual = withDefault('2026-11-19T22:15:30+01:00')['when'];
  assert.match(String(usual), /^2026-11-\d\dT\d\d:\d\d:30$/);
  const sent = { when: '2026-11-19T21:15:30.000Z' };
  assert.deepEqual(answer(String(usual)), { kind: 'content', content: sent });
});

test('what does not fit is said at its field, and nothing is sent', () => {
  const problemsOf = (values: Parameters<typeof answerOfForm>[1]) => {
    const answer = answerOfForm(fields, values);
    return answer.kind === 'problems' ? answer.problems : {};
  };
  assert.deepEqual(Object.keys(problemsOf({})), ['name', 'count', 'colour']);
  const good = { name: 'Ann', count: '3', colour: 'r' };
  for (const [over, name, pattern] of [
    [{ name: 'A' }, 'name', /At least 2/],
    [{ name: 'Anna😀' }, 'name', /At most 4/],
    [{ count: '1.5' }, 'count', /whole/],
    [{ count: 'x' }, 'count', /not a number/],
    [{ count: '0' }, 'count', /least is 1/],
    [{ count: '6' }, 'count', /most is 5/],
    [{ days: ['mo', 'tu'] }, 'days', /at most 1/],
  ] as const) {
    const problems = problemsOf({ ...good, ...over });
    assert.deepEqual(Object.keys(problems), [name]);
    assert.match(problems[name] ?? '', pattern);
  }
});

test('a schema that is none asks for nothing; a field that must be and cannot be filled in says so', () => {
  assert.deepEqual(parseFormFields(undefined), []);
  assert.deepEqual(parseFormFields({ properties: 7 }), []);
  const [field] = parseFormFields({ required: ['a'], properties: { a: { type: 'object' } } });
  const answer = answerOfForm(field === undefined ? [] : [field], {});
  assert.equal(answer.kind, 'problems');
});
