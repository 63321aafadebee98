/*
 * Whether a value contains what a script expects of it: an object has to have the keys given, everything else is compared
 * whole. Says where it does not.
 */
import { isObject, type Json } from './messages.ts';

/** Nothing if it does, else the place and both values. */
export function missingIn(value: Json | undefined, wanted: Json, place = ''): string | undefined {
  if (isObject(wanted) && isObject(value)) {
    for (const [key, part] of Object.entries(wanted)) {
      const missing = missingIn(value[key], part, `${place}.${key}`);
      if (missing !== undefined) return missing;
    }
    return undefined;
  }
  if (Array.isArray(wanted) && Array.isArray(value) && wanted.length === value.length) {
    const parts: readonly Json[] = wanted;
    const given: readonly Json[] = value;
    for (const [index, part] of parts.entries()) {
      const missing = missingIn(given[index], part, `${place}[${index}]`);
      if (missing !== undefined) return missing;
    }
    return undefined;
  }
  if (wanted === value) return undefined;
  return `${place || 'value'} is ${JSON.stringify(value)}, not ${JSON.stringify(wanted)}`;
}
