/*
 * What a turn has left, as every wire tells it: the list with addresses, and how far the look at it is.
 */
import type { ArtifactSyncRow, ArtifactSyncStatus, MissingArtifact } from '@clawdfather/agents';
import type { AccountId, Clock } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { KeptArtifact, Store } from '@clawdfather/store';
import { formatTime } from '../http/format-time.ts';
import { contentTypeOf } from './content-types.ts';
import { addressMs } from './limits.ts';
import type { Signer } from './signed-address.ts';

/* For JSON-RPC. */
export interface TurnArtifacts {
  readonly artifacts: readonly {
    readonly relativePath: string;
    readonly contentType: string;
    readonly sizeBytes: number;
    readonly sha256: string;
    /* Null: its bytes are kept no longer. */
    readonly downloadUrl: string | null;
  }[];
  readonly artifactSync: ArtifactSync;
}

export interface ArtifactSync {
  readonly status: ArtifactSyncStatus;
  readonly missing: readonly MissingArtifact[];
}

export interface TurnArtifactsDeps {
  readonly store: Store;
  readonly signer: Signer;
  readonly clock: Clock;
  /* What people reach us by; absent: addresses are paths. */
  readonly publicUrl: string | undefined;
}

/* Of a turn of this account; one that is not its own has left nothing. */
export async function turnArtifacts(
  deps: TurnArtifactsDeps,
  accountId: AccountId,
  turnId: string,
): Promise<TurnArtifacts> {
  const { items, sync } = await readTurn(deps, accountId, turnId);
  return {
    artifacts: items.map((item) => ({
      relativePath: item.relativePath,
      contentType: contentTypeOf(item.relativePath),
      sizeBytes: item.sizeBytes,
      sha256: item.sha256,
      downloadUrl: addressOf(deps, accountId, item),
    })),
    artifactSync: { status: sync?.status ?? 'no-artifacts', missing: sync?.missing ?? [] },
  };
}

type ListAnswer = AnswerOf<Api['artifacts']['ofTurn']>;

export async function listArtifacts(
  deps: TurnArtifactsDeps,
  accountId: AccountId,
  turnId: string,
): Promise<ListAnswer> {
  const { items, sync } = await readTurn(deps, accountId, turnId);
  return {
    items: items.map((item) => ({
      id: item.id,
      relative_path: item.relativePath,
      content_type: contentTypeOf(item.relativePath),
      size_bytes: item.sizeBytes,
      sha256: item.sha256,
      news: item.news,
      modified_at: formatTime(item.modifiedAtMs),
      download_url: addressOf(deps, accountId, item),
    })),
    artifact_sync: showSync(sync),
  };
}

/* A turn says so much of what is missing, its list says more: a list of turns has to stay small. */
const missingOfTurnMax = 8;

/* Undefined: it has not ended, or left nothing that was looked for. */
export function showSync(
  sync: ArtifactSyncRow | undefined,
  missingMax = Number.POSITIVE_INFINITY,
): ListAnswer['artifact_sync'] {
  return {
    status: sync?.status ?? 'no-artifacts',
    count: sync?.itemCount ?? 0,
    missing: (sync?.missing ?? []).slice(0, missingMax).map((one) => ({ ...one })),
    missing_count: sync?.missingCount ?? 0,
  };
}

export function showSyncOfTurn(sync: ArtifactSyncRow | undefined): ListAnswer['artifact_sync'] {
  return showSync(sync, missingOfTurnMax);
}

async function readTurn({ store }: TurnArtifactsDeps, accountId: AccountId, turnId: string) {
  const { artifacts } = store.forAccount(accountId);
  // In this order: an outcome and its rows are committed together, so rows that are seen have theirs.
  const items = await artifacts.ofTurn(turnId);
  const sync = await artifacts.syncOf(turnId);
  // It was finished in between.
  const isBetween = sync !== undefined && sync.itemCount !== items.length;
  return { items: isBetween ? await artifacts.ofTurn(turnId) : items, sync };
}

function addressOf(
  { signer, clock, publicUrl }: TurnArtifactsDeps,
  accountId: AccountId,
  { id, removedAtMs }: KeptArtifact,
): string | null {
  if (removedAtMs !== undefined) return null;
  const expires = Math.floor((clock.wallMs() + addressMs) / 1_000);
  const signature = signer.sign({ accountId, artifactId: id, expires });
  const path = `/api/v1/artifacts/${id}?expires=${expires}&signature=${signature}`;
  return publicUrl === undefined ? path : new URL(path, publicUrl).href;
}
