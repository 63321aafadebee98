/*
 * The files that a turn has changed, with lines added and removed. Each leads to what became of it.
 */
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useChanges } from './use-changes.ts';

/* More are on the screen of changes. */
const filesMax = 5;

export function ChangesCard({
  turnId,
  threadId,
  isSure,
}: {
  readonly turnId: string;
  readonly threadId: string;
  /* That there are any. */
  readonly isSure: boolean | undefined;
}) {
  const changes = useChanges(turnId);
  useEffect(() => void changes.refresh(), [changes]);
  const files = changes.value.value?.files;
  if (isSure !== true && !files?.length) return null;
  const to = `/threads/${threadId}/changes/${turnId}`;
  return (
    <section class="fold changes" aria-label="Files changed">
      <Link class="line" href={to}>
        <span class="what">
          {files === undefined
            ? 'Files changed'
            : `${files.length} ${files.length === 1 ? 'file' : 'files'} changed`}
        </span>
        {files !== undefined && <Counts files={files} />}
      </Link>
      {files?.slice(0, filesMax).map((file) => (
        <Link key={file.n} class="line" href={`${to}?file=${file.n}`}>
          <span class="path">{file.path}</span>
          <Counts files={[file]} />
        </Link>
      ))}
    </section>
  );
}

interface Counted {
  readonly added: number | null;
  readonly removed: number | null;
}

export function Counts({ files }: { readonly files: readonly Counted[] }) {
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  return (
    <span class="counts">
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
    </span>
  );
}
