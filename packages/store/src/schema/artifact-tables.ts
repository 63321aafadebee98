/*
 * The tables of what turns leave (migration 16). Their rows are those of packages/agents, a column for each field.
 */
import type { ArtifactNews, ArtifactSyncStatus } from '@clawdfather/agents';
import type { JsonText } from './json-text.ts';

/** A type, because JSON is made of plain objects. */
type MissingJson = { readonly path: string; readonly reason: string };

export interface ArtifactSyncsTable {
  account_id: string;
  turn_id: string;
  thread_id: string;
  instance_id: string;
  status: ArtifactSyncStatus;
  missing_json: JsonText<readonly MissingJson[]>;
  missing_count: number;
  item_count: number;
  asked_at_ms: number;
  ended_at_ms: number | null;
}

export interface ArtifactsTable {
  account_id: string;
  id: string;
  turn_id: string;
  place: number;
  relative_path_json: JsonText<string>;
  size_bytes: number;
  sha256: string;
  news: ArtifactNews;
  modified_at_ms: number;
  kept_at_ms: number;
  removed_at_ms: number | null;
}
