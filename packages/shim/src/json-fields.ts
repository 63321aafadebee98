/*
 * Reads fields out of JSON that another process wrote: parse, don't trust.
 *
 * Unknown fields are ignored and absent ones have a stated default, so that a
 * gateway reads the records of an older or newer shim (E5). A field of the
 * wrong type is `message-invalid`.
 */
import { ShimError } from './errors.ts';

export type JsonFields = Readonly<Record<string, unknown>>;

export function parseJsonFields(bytes: Buffer): JsonFields {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new ShimError('message-invalid', 'not JSON', { cause });
  }
  return asFields(value, 'message');
}

export function asFields(value: unknown, name: string): JsonFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(name);
  return value as JsonFields;
}

export function numberField(fields: JsonFields, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(name);
  return value;
}

/* Absent: zero. */
export function countField(fields: JsonFields, name: string): number {
  return fields[name] === undefined || fields[name] === null ? 0 : numberField(fields, name);
}

/* Null and absent are the same: undefined. */
export function optionalNumber(fields: JsonFields, name: string): number | undefined {
  return fields[name] === undefined || fields[name] === null
    ? undefined
    : numberField(fields, name);
}

export function stringField(fields: JsonFields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw wrong(name);
  return value;
}

/* Null, an absent field and an empty string are all undefined. */
export function optionalString(fields: JsonFields, name: string): string | undefined {
  const value = fields[name];
  return value === undefined || value === null || value === ''
    ? undefined
    : stringField(fields, name);
}

/* True and 1 are true; absent is false. */
export function booleanField(fields: JsonFields, name: string): boolean {
  const value = fields[name];
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  if (value === 0 || value === 1) return value === 1;
  throw wrong(name);
}

export function listField(fields: JsonFields, name: string): readonly unknown[] {
  const value = fields[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong(name);
  return value;
}

function wrong(field: string): ShimError {
  return new ShimError('message-invalid', `the field ${field} is missing or of the wrong type`, {
    detail: { field },
  });
}
