/*
 * What the turns of an account have left: how the look at it went, and the files that were kept. They are written with the thread that they
 * are of (threads/artifact-rows.ts).
 */
import type { ArtifactRow, ArtifactSyncRow } from '@clawdfather/agents';
import { sql } from 'kysely';
import type { AccountContext } from '../context.ts';
import type { ArtifactsTable } from '../schema/artifact-tables.ts';
import { toRecord } from '../schema/record.ts';
import { createSelect } from '../select.ts';
import { syncOf } from './threads/artifact-rows.ts';

/** Without `removedAtMs` its bytes are kept. */
export type KeptArtifact = ArtifactRow & {
  readonly keptAtMs: number;
  readonly removedAtMs?: number;
};

export interface Artifacts {
  /** In the order of the snapshot. */
  ofTurn(turnId: string): Promise<readonly KeptArtifact[]>;
  /** Undefined: the turn has not ended, or its agent never had the prompt. */
  syncOf(turnId: string): Promise<ArtifactSyncRow | undefined>;
  syncsOf(threadId: string): Promise<readonly ArtifactSyncRow[]>;
  /** What the newest finished look before this turn's has kept. Undefined: there was none. */
  before(threadId: string, turnId: string): Promise<readonly KeptArtifact[] | undefined>;
  /** Each content counts once. */
  bytesKept(): Promise<number>;
  isKept(sha256: string): Promise<boolean>;
}

export function createArtifacts({ runner, accountId }: AccountContext): Artifacts {
  const ofTurn = async (turnId: string): Promise<readonly KeptArtifact[]> =>
    (await runner.select(selectOfTurn, { accountId, turnId })).map(artifactOf);
  return {
    ofTurn,
    syncOf: async (turnId) =>
      (await runner.select(selectSync, { accountId, turnId })).map(syncOf)[0],
    syncsOf: async (threadId) =>
      (await runner.select(selectSyncs, { accountId, threadId })).map(syncOf),
    before: async (threadId, turnId) => {
      const [sync] = await runner.select(selectSyncBefore, { accountId, threadId, turnId });
      return sync && ofTurn(sync.turn_id);
    },
    bytesKept: async () => {
      const [row] = await runner.select(sumKept, { accountId });
      return Number(row?.bytes ?? 0);
    },
    isKept: async (sha256) => (await runner.select(selectKept, { accountId, sha256 })).length > 0,
  };
}

export function artifactOf(row: ArtifactsTable): KeptArtifact {
  const { accountId: _account, place: _place, ...artifact } = toRecord(row);
  return artifact;
}

interface OfTurn {
  readonly accountId: string;
  readonly turnId: string;
}

interface OfThread {
  readonly accountId: string;
  readonly threadId: string;
}

export const selectOfTurn = createSelect((db, { accountId, turnId }: OfTurn) =>
  db
    .selectFrom('artifacts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('turn_id', '=', turnId)
    .orderBy('place'),
);

export const selectSync = createSelect((db, { accountId, turnId }: OfTurn) =>
  db
    .selectFrom('artifact_syncs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('turn_id', '=', turnId),
);

export const selectSyncs = createSelect((db, { accountId, threadId }: OfThread) =>
  db
    .selectFrom('artifact_syncs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('thread_id', '=', threadId)
    .orderBy('asked_at_ms'),
);

export const selectSyncBefore = createSelect(
  (db, { accountId, threadId, turnId }: OfThread & OfTurn) =>
    db
      .selectFrom('artifact_syncs')
      .select('turn_id')
      .where('account_id', '=', accountId)
      .where('thread_id', '=', threadId)
      .where('turn_id', '!=', turnId)
      .where('ended_at_ms', 'is not', null)
      .where('status', '!=', sql.lit('failed'))
      .orderBy('asked_at_ms', 'desc')
      .limit(1),
);

export const sumKept = createSelect((db, { accountId }: { readonly accountId: string }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('artifacts')
        .select(['sha256', 'size_bytes'])
        .distinct()
        .where('account_id', '=', accountId)
        .where('removed_at_ms', 'is', null)
        .as('contents'),
    )
    .select((eb) => eb.fn.sum<number>('size_bytes').as('bytes')),
);

export const selectKept = createSelect(
  (db, { accountId, sha256 }: { readonly accountId: string; readonly sha256: string }) =>
    db
      .selectFrom('artifacts')
      .select('id')
      .where('account_id', '=', accountId)
      .where('sha256', '=', sha256)
      .where('removed_at_ms', 'is', null)
      .limit(1),
);
