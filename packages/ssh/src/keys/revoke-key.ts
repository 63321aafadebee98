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
  const { outcome, using } = await revocation.inTransaction(async (keys) => {
    const sealed = await keys.sealedOf(id);
    const found = isForced ? await keys.sessionsUsing(id) : [];
    revocation.checkMayClose(found);
    const done = await keys.revoke(id, isForced);
    if (done === 'revoked' && sealed !== undefined) {
      await keys.rewrap({ id, from: sealed, to: erased });
    }
    return { outcome: done, using: found };
  });
  if (outcome === 'revoked') {
    await Promise.all(using.map((sessionId) => revocation.closeSession(sessionId)));
  }
  return outcome;
}
