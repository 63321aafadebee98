/*
 * What may be a parameter of a statement: whole numbers, NULL, and text that both databases hold and hand back unchanged.
 *
 * Checked in both drivers, because the two differ: PostgreSQL refuses NUL where SQLite looks for it, SQLite turns a lone
 * surrogate into another character, and half a number is an error in one and a comparison in the other.
 */
import { StoreError } from '../errors.ts';

export type Parameter = string | number | null;

export function checkParameters(values: readonly unknown[]): readonly Parameter[] {
  for (const value of values) if (!isParameter(value)) throw invalid(value);
  /* Each was looked at. */
  return values as readonly Parameter[];
}

function isParameter(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return value === null;
}

function invalid(value: unknown): StoreError {
  return new StoreError('value-invalid', 'a value cannot be stored or looked for', {
    detail: { type: typeof value },
    hint: 'Text has no NUL and no lone surrogates; numbers are whole and below 2^53.',
  });
}
