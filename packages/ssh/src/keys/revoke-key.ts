/*
 * Revoking a key: it is used for nothing more, its private half is erased, and, by force, the sessions that stand on it are closed
 * with `key_revoked`. Where something runs in them that the caller may not end, nothing of this happens.
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
