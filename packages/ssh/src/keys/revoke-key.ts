/*
 * Revoking a key: it can no longer be used, its private half is erased, and with force the sessions that use it are closed with
 * `key_revoked`. If one of them has a run that the caller may not end, nothing is changed.
 */
import type { KeyRevocation, RevokeOutcome } from './ports.ts';

/* No envelope; nothing opens it. */
const erased = 'erased';

export async function revokeKey(
  revocation: KeyRevocation,
  { id, isForced }: { readonly id: string; readonly isForced: boolean },
): Promise<RevokeOutcome> {
  const outcome = await revocation.inTransaction(async (keys) => {
    const sealed = await keys.sealedOf(id);
    const found = isForced ? await keys.sessionsUsing(id) : [];
    revocation.checkMayClose(found);
    const done = await keys.revoke(id, isForced);
    if (done === 'revoked' && sealed !== undefined) {
      await keys.rewrap({ id, from: sealed, to: erased });
    }
    if (done === 'revoked') await keys.closeSessions(found);
    return done;
  });
  if (outcome === 'revoked') await revocation.endClosed();
  return outcome;
}
