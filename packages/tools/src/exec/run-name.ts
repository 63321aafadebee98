/*
 * Names of runs. A name is a label; among living runs of one account it is unique, by the supervisor's scopes, whichever processes
 * start two at the same moment.
 */
import { ToolsError } from '../errors.ts';

export const nameLabel = 'name';

/* `owner`: the account, or `cli` for what a person starts without one. */
export function nameScope(owner: string, name: string): string {
  return `name:${owner}:${name}`;
}

export function nameTaken(name: string, cause?: unknown): ToolsError {
  return new ToolsError('name-taken', `a living run is called ${JSON.stringify(name)}`, {
    detail: { name },
    hint: 'Choose another name, or end that run first.',
    ...(cause === undefined ? {} : { cause }),
  });
}
