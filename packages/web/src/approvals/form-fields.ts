/*
 * The form of a question: the fields that its schema asks for, and what was typed as the content of the answer. Pure.
 *
 * A schema has text, numbers, yes or no, one choice and several choices; a field of any other kind cannot be filled in here, and the
 * form says so instead of sending something else.
 */
import { makeVisible } from '@clawdfather/kit';
import { toLocalField, toMoment } from './date-time-field.ts';

export interface Choice {
  /* What the form knows it by. */
  readonly value: string;
  readonly name: string;
  /* What is sent for it: as the schema has it, so a number stays one. */
  readonly sent: string | number | boolean;
}

interface Named {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
}

export type FormField = Named &
  (
    | {
        readonly kind: 'text';
        readonly format: string | undefined;
        readonly lengthMin: number | undefined;
        readonly lengthMax: number | undefined;
      }
    | {
        readonly kind: 'number';
        readonly isWhole: boolean;
        readonly min: number | undefined;
        readonly max: number | undefined;
      }
    | { readonly kind: 'yes-no' }
    | { readonly kind: 'choice'; readonly choices: readonly Choice[] }
    | {
        readonly kind: 'choices';
        readonly choices: readonly Choice[];
        readonly countMin: number | undefined;
        readonly countMax: number | undefined;
      }
    | { readonly kind: 'unknown' }
  );

export type FormValue = string | boolean | readonly string[] | undefined;
export type FormValues = Readonly<Record<string, FormValue>>;

type Fields = Readonly<Record<string, unknown>>;

export function parseFormFields(schema: unknown): readonly FormField[] {
  const { properties, required } = fieldsOf(schema);
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  return Object.entries(fieldsOf(properties)).map(([name, property]) =>
    parseField(name, fieldsOf(property), needed.has(name)),
  );
}

function parseField(name: string, property: Fields, isRequired: boolean): FormField {
  const { title, description, type } = property;
  const named: Named = {
    name,
    title: makeVisible(textOf(title) ?? name),
    description: visibleOf(description),
    isRequired,
  };
  const choices = choicesOf(property);
  if (type === 'array') {
    const offered = choicesOf(fieldsOf(property['items']));
    // An answer may hold several texts, and nothing else several times.
    const isOfTexts = offered?.every(({ sent }) => typeof sent === 'string') === true;
    if (offered === undefined || !isOfTexts) return { ...named, kind: 'unknown' };
    const countMin = numberOf(property['minItems']);
    return {
      ...named,
      kind: 'choices',
      choices: offered,
      countMin,
      countMax: numberOf(property['maxItems']),
    };
  }
  if (type === 'boolean') return { ...named, kind: 'yes-no' };
  // Before numbers: one with an `enum` is one of them.
  if (choices !== undefined) return { ...named, kind: 'choice', choices };
  if (type === 'number' || type === 'integer') {
    const min = numberOf(property['minimum']);
    const max = numberOf(property['maximum']);
    return { ...named, kind: 'number', isWhole: type === 'integer', min, max };
  }
  if (type !== 'string') return { ...named, kind: 'unknown' };
  return {
    ...named,
    kind: 'text',
    format: textOf(property['format']),
    lengthMin: numberOf(property['minLength']),
    lengthMax: numberOf(property['maxLength']),
  };
}

/* `enum` with or without names, or `oneOf` or `anyOf` with a value and a title each. */
function choicesOf(property: Fields): readonly Choice[] | undefined {
  const { enum: values, enumNames: names, oneOf, anyOf } = property;
  if (Array.isArray(values)) {
    const given: readonly unknown[] = Array.isArray(names) ? names : [];
    return values.map((value, index) => choiceOf(value, given[index]));
  }
  const offered = oneOf ?? anyOf;
  if (!Array.isArray(offered)) return undefined;
  return offered.map(fieldsOf).map(({ const: value, title }) => choiceOf(value, title));
}

function choiceOf(value: unknown, title: unknown): Choice {
  const text = String(value);
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  return { value: text, name: makeVisible(textOf(title) ?? text), sent: isPlain ? value : text };
}

/* What a schema offers from the start. */
export function firstValues(schema: unknown): FormValues {
  const properties = fieldsOf(fieldsOf(schema)['properties']);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]): [string, FormValue][] => {
      const { default: usual, format } = fieldsOf(property);
      if (typeof usual === 'string' && format === 'date-time') return [[name, toLocalField(usual)]];
      if (typeof usual === 'boolean') return [[name, usual]];
      if (typeof usual === 'string' || typeof usual === 'number') return [[name, String(usual)]];
      return Array.isArray(usual) ? [[name, usual.map(String)]] : [];
    }),
  );
}

export type FormAnswer =
  | {
      readonly kind: 'content';
      readonly content: Readonly<Record<string, string | number | boolean | string[]>>;
    }
  /* By the name of the field. */
  | { readonly kind: 'problems'; readonly problems: Readonly<Record<string, string>> };

export function answerOfForm(fields: readonly FormField[], values: FormValues): FormAnswer {
  const content: Record<string, string | number | boolean | string[]> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const problem = problemOfField(field, values[field.name]);
    if (problem !== undefined) problems[field.name] = problem;
    else {
      const value = contentOf(field, values[field.name]);
      if (value !== undefined) content[field.name] = value;
    }
  }
  if (Object.keys(problems).length > 0) return { kind: 'problems', problems };
  return { kind: 'content', content };
}

function contentOf(
  field: FormField,
  value: FormValue,
): string | number | boolean | string[] | undefined {
  if (field.kind === 'yes-no') return value === true;
  if (field.kind === 'choices')
    return isEmpty(value) ? undefined : [...(value as readonly string[])];
  if (isEmpty(value)) return undefined;
  const text = String(value);
  if (field.kind === 'number') return Number(text);
  if (field.kind === 'choice') return field.choices.find((one) => one.value === text)?.sent;
  return field.kind === 'text' && field.format === 'date-time' ? toMoment(text) : text;
}

function isEmpty(value: FormValue): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

function problemOfField(field: FormField, value: FormValue): string | undefined {
  if (field.kind === 'unknown') {
    return field.isRequired
      ? 'This cannot be filled in here. Answer in the terminal, or decline.'
      : undefined;
  }
  if (field.kind === 'yes-no') return undefined;
  if (isEmpty(value)) return field.isRequired ? 'This is needed.' : undefined;
  switch (field.kind) {
    case 'number':
      return problemOfNumber(field, Number(value));
    case 'text':
      return problemOfText(field, String(value));
    case 'choices':
      return problemOfCount(field, (value as readonly string[]).length);
    case 'choice':
      return undefined;
  }
}

function problemOfNumber(
  { isWhole, min, max }: Extract<FormField, { kind: 'number' }>,
  number: number,
): string | undefined {
  if (!Number.isFinite(number)) return 'This is not a number.';
  if (isWhole && !Number.isInteger(number)) return 'This has to be a whole number.';
  if (min !== undefined && number < min) return `The least is ${min}.`;
  return max !== undefined && number > max ? `The most is ${max}.` : undefined;
}

function problemOfText(
  { format, lengthMin, lengthMax }: Extract<FormField, { kind: 'text' }>,
  text: string,
): string | undefined {
  if (format === 'date-time') {
    return toMoment(text) === undefined ? 'This is no date with a time.' : undefined;
  }
  const length = Array.from(text).length;
  if (lengthMin !== undefined && length < lengthMin)
    return `At least ${lengthMin} characters are needed.`;
  return lengthMax !== undefined && length > lengthMax
    ? `At most ${lengthMax} characters fit.`
    : undefined;
}

function problemOfCount(
  { countMin, countMax }: Extract<FormField, { kind: 'choices' }>,
  count: number,
): string | undefined {
  if (countMin !== undefined && count < countMin) return `Choose at least ${countMin}.`;
  return countMax !== undefined && count > countMax ? `Choose at most ${countMax}.` : undefined;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function visibleOf(value: unknown): string | undefined {
  return typeof value === 'string' ? makeVisible(value) : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
