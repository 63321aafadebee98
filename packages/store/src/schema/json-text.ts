/*
 * JSON in a column of text, on both databases.
 *
 * Not jsonb: nothing is asked of the inside of these values, and jsonb would hand back other bytes than it was given
 * (keys sorted, numbers rewritten), so the same query would differ between the two.
 */
import { StoreError } from '../errors.ts';

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

declare const valueOf: unique symbol;

/** The text of a value of this type. Columns that hold one end in `_json`. */
export type JsonText<Value extends Json = Json> = string & { readonly [valueOf]: Value };

export function formatJson<Value extends Json>(value: Value): JsonText<Value> {
  /* PostgreSQL has no NUL in text; JSON's escape keeps it out of the column on both. */
  return JSON.stringify(value) as JsonText<Value>;
}

export function parseJson<Value extends Json>(text: JsonText<Value>): Value {
  return JSON.parse(text) as Value;
}

/** Refuses what one of the two databases cannot hold, before either is asked. */
export function checkText(name: string, text: string): string {
  if (!text.includes('\0') && text.isWellFormed()) return text;
  throw new StoreError('value-invalid', `${name} holds characters that cannot be stored`, {
    detail: { field: name },
    hint: 'NUL and lone surrogates have no place in text.',
  });
}
