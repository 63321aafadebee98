/*
 * What turns have left, over all accounts: the looks that a gateway has to finish, a file by its id alone, and what is kept no longer.
 */
import type { AccountId } from '@clawdfather/kit';
import { sql } from 'kysely';
import { artifactOf, type KeptArtifact } from '../account/artifacts.ts';
import type { QueryContext } from '../context.ts';
import { cleanupBatchesMax, cleanupRowsMax, looksAtOnceMax } from '../limits.ts';
import { createSelect } from '../select.ts';
import { parseAccountId } from './accounts.ts';

export interface DueSync {
  readonly accountId: AccountId;
  readonly threadId: string;
  readonly turnId: string;
  readonly askedAtMs: number;
}

export interface AbandonedWanted {
  readonly instanceId: string;
  readonly askedBeforeMs: number;
}

export interface SystemArtifacts {
  /** Of this gateway, oldest first: a page, those that come after this one. The last page is empty. */
  due(instanceId: string, after?: DueSync): Promise<readonly DueSync[]>;
  /** Of other gateways, and asked for before this time; oldest first. */
  abandoned(wanted: AbandonedWanted): Promise<readonly DueSync[]>;
  /** For who comes with a signature and nothing else. */
  find(artifactId: string): Promise<(KeptArtifact & { readonly accountId: AccountId }) | undefined>;
  /** Rows that were kept before this keep their bytes no longer. How many they were. */
  removeContentsBefore(atMs: number): Promise<number>;
}

export function createSystemArtifacts({ runner, clock }: QueryContext): SystemArtifacts {
  return {
    due: async (instanceId, after) => {
      const { askedAtMs: afterMs, turnId: afterTurn } = after ?? {};
      const page = await runner.select(selectDue, { instanceId, afterMs, afterTurn });
      return page.map(dueOf);
    },
    abandoned: async (wanted) => (await runner.select(selectAbandoned, wanted)).map(dueOf),
    find: async (id) => {
      const [row] = await runner.select(selectById, { id });
      if (row === undefined) return undefined;
      return { ...artifactOf(row), accountId: parseAccountId(row.account_id) };
    },
    removeContentsBefore: async (atMs) => {
      const nowMs = clock.wallMs();
      let total = 0;
      for (let batch = 0; batch < cleanupBatchesMax; batch += 1) {
        const removed = await runner.write(async (db) => {
          const { numAffectedRows } = await sql`UPDATE artifacts SET removed_at_ms = ${nowMs}
            WHERE (account_id, id) IN (
              SELECT account_id, id FROM artifacts
              WHERE removed_at_ms IS NULL AND kept_at_ms < ${atMs} LIMIT ${cleanupRowsMax}
            )`.execute(db);
          return Number(numAffectedRows ?? 0n);
        });
        total += removed;
        if (removed < cleanupRowsMax) break;
      }
      return total;
    },
  };
}

function dueOf(
  row: Record<'account_id' | 'thread_id' | 'turn_id', string> & { asked_at_ms: number },
) {
  return {
    accountId: parseAccountId(row.account_id),
    threadId: row.thread_id,
    turnId: row.turn_id,
    askedAtMs: row.asked_at_ms,
  };
}

interface DueWanted {
  readonly instanceId: string;
  readonly afterMs: number | undefined;
  readonly afterTurn: string | undefined;
}

export const selectDue = createSelect((db, { instanceId, afterMs, afterTurn }: DueWanted) => {
  let query = db
    .selectFrom('artifact_syncs')
    .select(['account_id', 'thread_id', 'turn_id', 'asked_at_ms'])
    .where('instance_id', '=', instanceId)
    .where('ended_at_ms', 'is', null);
  if (afterMs !== undefined && afterTurn !== undefined) {
    // The first of the two is for the index.
    query = query
      .where('asked_at_ms', '>=', afterMs)
      .where((eb) => eb.or([eb('asked_at_ms', '>', afterMs), eb('turn_id', '>', afterTurn)]));
  }
  return query.orderBy('asked_at_ms').orderBy('turn_id').limit(looksAtOnceMax);
});

/** Few are open at all, so all of them are looked through, by their index. */
export const selectAbandoned = createSelect((db, wanted: AbandonedWanted) =>
  db
    .selectFrom('artifact_syncs')
    .select(['account_id', 'thread_id', 'turn_id', 'asked_at_ms'])
    .where('instance_id', '>', '')
    .where('instance_id', '!=', wanted.instanceId)
    .where('asked_at_ms', '<', wanted.askedBeforeMs)
    .where('ended_at_ms', 'is', null)
    .orderBy('asked_at_ms')
    .limit(looksAtOnceMax),
);

export const selectById = createSelect((db, { id }: { readonly id: string }) =>
  db.selectFrom('artifacts').selectAll().where('id', '=', id),
);
