/*
 * Where the command of a request finds what it names: of the request that is about to be decided or started, and of one that was stored.
 */
import type { SeenFiles } from '../approvals/seen-files.ts';
import { parseRequest, type StoredRequest } from '../exec/stored-request.ts';
import type { Shield } from './create-shield.ts';
import type { ShieldUser } from './shield-facts.ts';

/* Undefined: where we do. Throws `shield-unavailable`. */
export async function seenByRequest(
  shield: Pick<Shield, 'seenFrom'> | undefined,
  { shielded }: Pick<StoredRequest, 'shielded'>,
  user?: ShieldUser,
): Promise<SeenFiles | undefined> {
  if (shield === undefined || shielded === undefined) return undefined;
  return await shield.seenFrom({ tree: shielded.tree, user });
}

/* Throws `approval-unusable` too. */
export async function seenByStored(
  shield: Pick<Shield, 'seenFrom'> | undefined,
  request: string,
): Promise<SeenFiles | undefined> {
  return await seenByRequest(shield, parseRequest(request));
}
