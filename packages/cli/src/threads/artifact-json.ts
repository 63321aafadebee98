/*
 * What a turn has left as JSON, in the shape that docs/cli-json.md promises to keep.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Json } from '../render/run-json.ts';

export type TurnArtifacts = AnswerOf<Api['artifacts']['ofTurn']>;
export type Artifact = TurnArtifacts['items'][number];

export function artifactJson(turnId: string, { items, artifact_sync: sync }: TurnArtifacts) {
  return {
    turnId,
    artifacts: items.map((item) => ({
      id: item.id,
      relativePath: item.relative_path,
      contentType: item.content_type,
      sizeBytes: item.size_bytes,
      sha256: item.sha256,
      news: item.news,
      modifiedAt: item.modified_at,
      downloadUrl: item.download_url,
    })),
    artifactSync: {
      status: sync.status,
      missing: sync.missing.map(({ path, reason }) => ({ path, reason })),
      missingCount: sync.missing_count,
    },
  } satisfies Json;
}
