/*
 * A name that a living run of the account has.
 */
import { ToolsError } from '../errors.ts';

export function nameTaken(name: string, cause?: unknown): ToolsError {
  return new ToolsError('name-taken', `a living run is called ${JSON.stringify(name)}`, {
    detail: { name },
    hint: 'Choose another name, or end that run first.',
    ...(cause === undefined ? {} : { cause }),
  });
}
