/*
 * Takes over sessions whose owner is gone: those of an earlier generation of ours at once, others' after two minutes of silence.
 *
 * Taking a session comes first and raises its epoch. So only one of several gateways goes on, and the old owner can do nothing
 * more when it wakes up. Then we check whether the session's connection is still there; if it is not, the session is lost.
 */
import { changeSession } from './change-session.ts';
import { cleanupAsker } from './cleanup-asker.ts';
import { ownerStaleMs } from './limits.ts';
import type { DueSession, SessionDeps } from './ports.ts';
import type { Owner } from './session.ts';

export async function adoptOrphans(deps: SessionDeps, by: Owner): Promise<void> {
  for (const orphan of await deps.due.orphaned(by, { ownerStaleMs })) {
    await adoptOne(deps, orphan, by);
  }
}

async function adoptOne(deps: SessionDeps, orphan: DueSession, owner: Owner): Promise<void> {
  const by = cleanupAsker;
  const taken = await changeSession(deps, orphan, { event: { type: 'taken', by: owner }, by });
  // Another gateway was faster, or it has ended.
  if (taken.outcome !== 'changed') return;
  const { accountId, id } = orphan;
  const { status, epoch } = taken.session;
  // A session that was still starting is lost: its start ended with its owner.
  if (
    status === 'active' &&
    (await deps.keeper.adopt({ ...taken.session, accountId })) === 'adopted'
  ) {
    const from = orphan.ownerInstanceId;
    deps.news.announce({ type: 'adopted', session: { accountId, id }, epoch, from });
    return;
  }
  await changeSession(deps, orphan, { event: { type: 'lost', epoch }, by });
}
