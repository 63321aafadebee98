/*
 * What a turn has changed, file by file, as a unified diff that fits a phone: lines wrap unless the reader says otherwise, and plus and
 * minus are written out.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { useApp } from '../app-context.ts';
import { usePieces } from '../data/use-pieces.ts';
import { ProblemView } from '../parts/problem-view.tsx';
import { ResourceView } from '../parts/resource-view.tsx';
import { Empty } from '../parts/rows.tsx';
import { Screen } from '../parts/screen.tsx';
import { formatForReader } from '../text/reader-text.ts';
import { Counts } from '../thread/rows/changes-card.tsx';
import { formatSize } from '../thread/rows/long-text.tsx';
import { useChanges } from '../thread/rows/use-changes.ts';

type File = AnswerOf<Api['history']['changes']>['files'][number];
type Hunk = AnswerOf<Api['history']['fileChanges']>['hunks'][number];

export function ChangesScreen({
  threadId,
  turnId,
}: {
  readonly threadId: string;
  readonly turnId: string;
}) {
  const [search] = useSearchParams();
  const changes = useChanges(turnId);
  const wanted = Number(search.get('file') ?? '0');
  return (
    <Screen title="Changes" back={{ to: `/threads/${threadId}`, name: 'the thread' }}>
      <ResourceView resource={changes}>
        {({ files, is_partial: isPartial }) => (
          <>
            {files.length === 0 && (
              <Empty title="No files changed in this turn">
                <p>What a command changed that the agent ran is not seen here.</p>
              </Empty>
            )}
            {files.map((file) => (
              <FileChanges
                key={file.n}
                turnId={turnId}
                file={file}
                isOpen={file.n === wanted || files.length === 1}
              />
            ))}
            {isPartial && <p class="quiet">There was more than can be looked at.</p>}
          </>
        )}
      </ResourceView>
    </Screen>
  );
}

interface FileProps {
  readonly turnId: string;
  readonly file: File;
  readonly isOpen: boolean;
}

function FileChanges({ turnId, file, isOpen: isOpenAtFirst }: FileProps) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst);
  const [wraps, setWraps] = useState(true);
  return (
    <section class="fold file-changes">
      <div class="line">
        <button
          type="button"
          class="path"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {file.path}
          {file.is_new && <span class="quiet"> new</span>}
        </button>
        <Counts files={[file]} />
        {isOpen && (
          <button
            type="button"
            class="button plain small"
            aria-pressed={wraps}
            onClick={() => setWraps(!wraps)}
          >
            Wrap
          </button>
        )}
      </div>
      {isOpen && <FileBody turnId={turnId} file={file} wraps={wraps} />}
    </section>
  );
}

function FileBody({
  turnId,
  file,
  wraps,
}: {
  readonly turnId: string;
  readonly file: File;
  readonly wraps: boolean;
}) {
  const { client } = useApp();
  const params = { id: turnId, n: file.n };
  const { pieces, problem, more } = usePieces(`${turnId}/${file.n}`, (offset) =>
    client.history.fileChanges({ params, query: { offset } }),
  );
  const hunks = pieces.value.flatMap((piece) => piece.hunks);
  const last = pieces.value.at(-1);
  const next = last?.next_offset;
  return (
    <div class={wraps ? 'diff wraps' : 'diff'} tabIndex={0} role="region" aria-label={file.path}>
      {file.kind === 'binary' && (
        <p class="quiet">
          No text: {formatSize(file.bytes ?? 0)}, SHA-256 <code>{file.sha256}</code>
        </p>
      )}
      {hunks.map((hunk, index) => (
        <HunkView key={index} hunk={hunk} />
      ))}
      {last?.beginning?.map((line, index) => (
        <DiffLine key={index} sign=" " text={line} number={index + 1} />
      ))}
      {last?.beginning && <p class="quiet">Too large to compare: its first lines as it is now.</p>}
      {problem.value !== undefined && (
        <ProblemView problem={problem.value} onRetry={() => void more()} />
      )}
      {typeof next === 'number' && problem.value === undefined && (
        <button type="button" class="button wide" onClick={() => void more()}>
          Show more lines
        </button>
      )}
    </div>
  );
}

function HunkView({ hunk }: { readonly hunk: Hunk }) {
  let oldLine = hunk.old_start;
  let newLine = hunk.new_start;
  return (
    <>
      <p class="hunk-head quiet">From line {hunk.new_start}</p>
      {hunk.lines.map((line, index) => {
        const sign = line.slice(0, 1);
        const number = sign === '-' ? oldLine : newLine;
        if (sign !== '+') oldLine += 1;
        if (sign !== '-') newLine += 1;
        return <DiffLine key={index} sign={sign} text={line.slice(1)} number={number} />;
      })}
    </>
  );
}

function DiffLine({
  sign,
  text,
  number,
}: {
  readonly sign: string;
  readonly text: string;
  readonly number: number;
}) {
  const kind = sign === '+' ? 'added' : sign === '-' ? 'removed' : '';
  return (
    <div class={`diff-line ${kind}`}>
      <span class="number" aria-hidden="true">
        {number}
      </span>
      <span class="sign">{sign === '-' ? '−' : sign}</span>
      <span class="text">{formatForReader(text)}</span>
    </div>
  );
}
