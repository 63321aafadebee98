/*
 * Who asks, for the people who approve: the name that a client gives itself, made harmless.
 *
 * The name is a claim and nothing is decided by it. It ends up on terminals and in records, so only letters, digits and a few
 * marks are left; bidi and control characters cannot make it look like another.
 */
import { clientNameCharactersMax } from './limits.ts';

export function requesterOf(clientName: string | undefined): string {
  const kept = (clientName ?? '')
    .slice(0, clientNameCharactersMax)
    .replace(/[^A-Za-z0-9._/@+-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `mcp:${kept === '' ? 'unnamed' : kept}`;
}
