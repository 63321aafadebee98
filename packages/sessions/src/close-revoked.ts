/*
 * Closes sessions whose key was revoked. Whoever revokes it by force closes them at once; this finishes what a crash cut off in
 * between, so that no session outlives its key by more than a turn of the clean-up.
 */
import { cleanupAsker } from './cleanup-asker.ts';
import { closeSession } from './close-session.ts';
import type { SessionDeps } from './ports.ts';
import type { Owner } from './session.ts';

export async function closeRevoked(deps: SessionDeps, owner: Owner): Promise<void> {
  for (const session of await deps.due.onRevokedKeys(owner)) {
    await closeSession(deps, session, { reason: 'key_revoked', by: cleanupAsker });
  }
}
