/*
 * Whose runs may have our tools. What a tool server asks for is the machine's own, as that of any agent on it: its requests carry
 * neither a token, which could then approve them, nor another account.
 */
import { ApiError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';

/* Throws `forbidden`. */
export function checkMayHaveTools({ kind, isOwner }: Caller): void {
  if (kind === 'device' && isOwner) return;
  throw new ApiError('forbidden', 'only the owner of this machine starts runs with tools', {
    hint: 'Start it on a device of the owner, or without "tools".',
  });
}
