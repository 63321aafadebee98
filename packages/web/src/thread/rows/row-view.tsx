/*
 * One row of a conversation. What is not known is shown as it came, never dropped.
 */
import { memo } from 'preact/compat';
import { Icon } from '../../parts/icon.tsx';
import { Markdown } from '../../text/markdown.tsx';
import { formatForReader } from '../../text/reader-text.ts';
import { textOf } from '../facts.ts';
import { useOpened } from '../thread-context.ts';
import { ArtifactsView } from './artifacts-view.tsx';
import { CodeView } from './code-view.tsx';
import { EndView } from './end-view.tsx';
import { DecisionView, GapView, NoteView, RawView } from './event-views.tsx';
import { LongText } from './long-text.tsx';
import { MoreButton } from './more-button.tsx';
import { PictureView } from './picture-view.tsx';
import { PlanView } from './plan-view.tsx';
import type { Row } from './row.ts';
import { fileNameOf, saidText } from './said-text.ts';
import { ToolView } from './tool-view.tsx';
import { WholeButton } from './whole-button.tsx';

type RowOf<Kind extends Row['kind']> = Extract<Row, { readonly kind: Kind }>;

export const RowView = memo(function RowView({ row }: { readonly row: Row }) {
  switch (row.kind) {
    case 'said':
      return <SaidView row={row} />;
    case 'piece':
      return <PieceView row={row} />;
    case 'thought':
      return <ThoughtView row={row} />;
    case 'tool':
      return <ToolView rowKey={row.key} block={row.block} edge={row.edge} />;
    case 'plan':
      return <PlanView plan={row.block.plan} />;
    case 'content':
      return <ContentView row={row} />;
    case 'note':
      return <NoteView text={row.text} mood={row.mood} />;
    case 'decision':
      return <DecisionView block={row.block} />;
    case 'artifacts':
      return <ArtifactsView block={row.block} />;
    case 'raw':
      return <RawView rowKey={row.key} block={row.block} />;
    case 'end':
      return <EndView end={row.end} />;
    case 'gap':
      return <GapView from={row.from} to={row.to} />;
  }
});

function SaidView({ row: { key, block } }: { readonly row: RowOf<'said'> }) {
  const files = block.content.flatMap(fileNameOf);
  return (
    <div class="said">
      <span class="only-read-aloud">You said: </span>
      <LongText rowKey={key} text={saidText(block)} from="beginning" />
      {files.length > 0 && (
        <ul class="said-files" aria-label="Attached">
          {files.map((name, index) => (
            <li key={index}>
              <Icon name="attach" />
              {formatForReader(name)}
            </li>
          ))}
        </ul>
      )}
      <WholeButton cut={block.cut} />
      <MoreButton block={block} about="what you said" />
    </div>
  );
}

function PieceView({ row: { piece, block, isFirst, isLast } }: { readonly row: RowOf<'piece'> }) {
  return (
    <>
      {isFirst && <MoreButton block={block} about="what the agent said" />}
      {piece.kind === 'prose' && <Markdown text={piece.text} />}
      {piece.kind === 'plain' && <p class="plain-text">{formatForReader(piece.text)}</p>}
      {piece.kind === 'code' && <CodeView piece={piece} />}
      {isLast && <WholeButton cut={block.cut} />}
    </>
  );
}

function ThoughtView({ row: { key, block } }: { readonly row: RowOf<'thought'> }) {
  const [isOpen, toggle] = useOpened(key);
  return (
    <div class="fold thought">
      <button type="button" class="line" aria-expanded={isOpen} onClick={toggle}>
        <span class="what">{block.is_complete ? 'Thought' : 'Thinking'}</span>
        <span class="quiet">{firstLineOf(block.text)}</span>
      </button>
      {isOpen && (
        <div class="inside">
          <LongText rowKey={`${key}-all`} text={block.text} from="beginning" />
          <WholeButton cut={block.cut} />
        </div>
      )}
    </div>
  );
}

function firstLineOf(text: string): string {
  return formatForReader(text.trimStart().slice(0, 120).split('\n', 1)[0] ?? '');
}

function ContentView({ row: { key, block } }: { readonly row: RowOf<'content'> }) {
  const { type, data, mimeType } = (block.content ?? {}) as Readonly<Record<string, unknown>>;
  const isPicture = type === 'image' && typeof data === 'string' && typeof mimeType === 'string';
  if (isPicture && /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType) && block.cut.length === 0) {
    return <PictureView data={data} mimeType={mimeType} />;
  }
  return (
    <div class="fold inside">
      <LongText rowKey={key} text={textOf(block.content)} from="beginning" />
      <WholeButton cut={block.cut} />
    </div>
  );
}
