/*
 * The form of an agent's question (ACP elicitation), as far as it can be filled in line by line: texts, numbers, yes or no, and one of a
 * list. Pure.
 */
import { isObject, textAt } from './thread-fact.ts';

type FieldType = 'string' | 'number' | 'integer' | 'boolean';

export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly type: FieldType;
  readonly isRequired: boolean;
  /* The only values there are. */
  readonly choices: readonly string[] | undefined;
}

export type FieldValue = string | number | boolean;

export type ReadField =
  | { readonly kind: 'value'; readonly value: FieldValue }
  | { readonly kind: 'none' }
  | { readonly kind: 'wrong'; readonly why: string };

const types: readonly string[] = ['string', 'number', 'integer', 'boolean'] satisfies FieldType[];

/* Undefined: it is no form, or has something that no line can hold. */
export function formFields(params: Readonly<Record<string, unknown>>): FormField[] | undefined {
  const { requestedSchema } = params;
  if (!isObject(requestedSchema) || !isObject(requestedSchema['properties'])) return undefined;
  const { required } = requestedSchema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = Object.entries(requestedSchema['properties']).map(([name, schema]) =>
    isObject(schema) ? fieldOf(name, schema, needed.includes(name)) : undefined,
  );
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function fieldOf(
  name: string,
  schema: Readonly<Record<string, unknown>>,
  isRequired: boolean,
): FormField | undefined {
  const type = textAt(schema, 'type');
  if (type === undefined || !types.includes(type)) return undefined;
  const title = textAt(schema, 'description') ?? textAt(schema, 'title') ?? name;
  return { name, title, type: type as FieldType, isRequired, choices: choicesOf(schema) };
}

function choicesOf(schema: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const { enum: words, oneOf } = schema;
  if (Array.isArray(words)) return words.filter((word) => typeof word === 'string');
  if (!Array.isArray(oneOf)) return undefined;
  return oneOf.filter(isObject).flatMap((one) => textAt(one, 'const') ?? []);
}

export function readField({ type, choices, isRequired }: FormField, line: string): ReadField {
  if (line === '') return isRequired ? wrong('this has to be answered') : { kind: 'none' };
  if (choices !== undefined) {
    const chosen = /^\d{1,3}$/.test(line) ? choices[Number(line) - 1] : undefined;
    const value = choices.find((choice) => choice === line) ?? chosen;
    return value === undefined ? wrong(`type 1 to ${choices.length}`) : { kind: 'value', value };
  }
  switch (type) {
    case 'string':
      return { kind: 'value', value: line };
    case 'boolean':
      if (!/^(y|yes|n|no)$/i.test(line)) return wrong('type y or n');
      return { kind: 'value', value: /^y/i.test(line) };
    case 'number':
    case 'integer': {
      const value = Number(line);
      const isFit = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
      return isFit ? { kind: 'value', value } : wrong(`this is no ${type}`);
    }
  }
}

function wrong(why: string): ReadField {
  return { kind: 'wrong', why };
}
