/*
 * What a turn has left in its directory, each to be downloaded. The address is asked for when it is wanted, because it is good for a
 * day only.
 */
import type { EventBlock } from '@clawdfather/protocol/history';
import { useState } from 'preact/hooks';
import { useApp } from '../../app-context.ts';
import { type Problem, problemOf } from '../../data/problem.ts';
import { ProblemView } from '../../parts/problem-view.tsx';
import { formatForReader } from '../../text/reader-text.ts';
import { isFacts, wordOf } from '../facts.ts';
import { formatSize } from './long-text.tsx';

const shownMax = 12;

export function ArtifactsView({ block }: { readonly block: EventBlock }) {
  const { client } = useApp();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const { turn_id: turnId, payload } = block;
  const items = (Array.isArray(payload['items']) ? payload['items'] : []).filter(isFacts);
  const missing = Number(payload['missing_count'] ?? 0);
  const download = async (path: string): Promise<void> => {
    try {
      const { items: found } = await client.artifacts.ofTurn({ params: { id: turnId ?? '' } });
      const url = found.find(({ relative_path: of }) => of === path)?.download_url;
      if (typeof url !== 'string') throw new Error('The gateway no longer has this file.');
      const link = document.createElement('a');
      link.href = url;
      link.download = path.split('/').at(-1) ?? 'file';
      link.click();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <section class="fold artifacts" aria-label="Files">
      <p class="line quiet">
        {items.length === 1 ? '1 file' : `${items.length} files`}
        {missing > 0 && ` · ${missing} could not be kept`}
      </p>
      {items.slice(0, shownMax).map((item, index) => {
        const path = wordOf(item['relative_path']) ?? '';
        const bytes = Number(item['size_bytes'] ?? Number.NaN);
        return (
          <button key={index} type="button" class="line" onClick={() => void download(path)}>
            <span class="path">{formatForReader(path)}</span>
            <span class="quiet">{Number.isNaN(bytes) ? 'Download' : formatSize(bytes)}</span>
          </button>
        );
      })}
      {items.length > shownMax && <p class="line quiet">and {items.length - shownMax} more</p>}
      {problem !== undefined && <ProblemView problem={problem} />}
    </section>
  );
}
