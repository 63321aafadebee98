/*
 * Who may choose what for an agent. A mode can decide what the agent asks before it acts, so choosing one can be worth more than any single
 * approval: a person does it. A token, which an agent may hold, chooses what the agent thinks with.
 */
import { harmlessCategories } from '@clawdfather/agents';
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';

/* Throws `forbidden`. */
export function checkMayChoose({ kind }: Pick<Caller, 'kind'>, chosen: object | undefined): void {
  if (kind === 'device' || chosen === undefined) return;
  if (Object.keys(chosen).every((key) => harmlessCategories.includes(key))) return;
  throw new ApiError('forbidden', 'a token chooses a model and nothing else of an agent', {
    hint: `A person chooses the rest, on a device that is signed in. A token may choose: ${harmlessCategories.join(', ')}.`,
  });
}
