/*
 * Revoking a key: it is used for nothing more, its private half is erased, and, by force, the sessions that stand on it are closed
 * with `key_revoked`. Where something runs in them that the caller may not end, nothing of this happens.
 */
import type { AccountId, AccountQueries, AuditEntry, Session, Store } from '@clawdfather/store';
import { listOpenSessions } from '../sessions/list-open-sessions.ts';
import type { Sessions } from '../sessions/sessions.ts';

export interface RevokeInput {
  readonly accountId: AccountId;
  readonly keypairId: string;
  readonly isForced: boolean;
  readonly auditFor: (action: string) => AuditEntry;
}

/* No envelope; nothing opens it. */
const erased = 'erased';

export async function revokeKey(
  { store, sessions }: { readonly store: Store; readonly sessions: Sessions },
  { accountId, keypairId: id, isForced, auditFor }: RevokeInput,
): Promise<'revoked' | 'not_found' | 'active_sessions_exist'> {
  const done = await store.forAccount(accountId).transaction(async (queries) => {
    const { keypairs } = queries;
    const sealed = await keypairs.sealedOf(id);
    const using = isForced ? await sessionsUsing(queries, id) : [];
    const ended = using.map((session) => ({ accountId, id: session.id }));
    sessions.checkMayClose(ended, auditFor('session.close').actor);
    const outcome = await keypairs.revoke({ id, isForced, audit: auditFor('key.revoke') });
    if (outcome === 'revoked' && sealed !== undefined) {
      await keypairs.rewrap({ id, from: sealed, to: erased });
    }
    return { outcome, using };
  });
  if (done.outcome === 'revoked') {
    const end = { reason: 'key_revoked', by: auditFor('session.close') } as const;
    await Promise.all(done.using.map(({ id }) => sessions.close({ accountId, id }, end)));
  }
  return done.outcome;
}

async function sessionsUsing(
  { sessions, connections }: AccountQueries,
  keypairId: string,
): Promise<readonly Session[]> {
  const found: Session[] = [];
  for (const session of await listOpenSessions({ sessions })) {
    if (session.connectionId === undefined) continue;
    const connection = await connections.get(session.connectionId);
    if (connection?.keypairId === keypairId) found.push(session);
  }
  return found;
}
