/*
 * Text of any length, a piece at a time: the beginning or the end of it, and more when it is asked for.
 */
import { useContext, useState } from 'preact/hooks';
import { formatOutput } from '../../text/reader-text.ts';
import { linesByPiece } from '../../text/split-markdown.ts';
import { ThreadContext } from '../thread-context.ts';

/* Each is 24 lines. */
const piecesAtOnce = 8;

export function LongText({
  rowKey,
  text,
  from,
  isCode = false,
}: {
  readonly rowKey: string;
  readonly text: string;
  readonly from: 'beginning' | 'end';
  readonly isCode?: boolean;
}) {
  const { shown } = useContext(ThreadContext);
  const [count, setCount] = useState(shown.get(rowKey) ?? 1);
  const pieces = linesByPiece(formatOutput(text));
  const part = from === 'end' ? pieces.slice(-count) : pieces.slice(0, count);
  const left = pieces.length - part.length;
  const more = left > 0 && (
    <button
      type="button"
      class="button plain small"
      onClick={() => {
        shown.set(rowKey, count + piecesAtOnce);
        setCount(count + piecesAtOnce);
      }}
    >
      {left > piecesAtOnce ? 'Show more' : 'Show all'} ({formatSize(text.length)} in all)
    </button>
  );
  return (
    <>
      {from === 'end' && more}
      <div class={isCode ? 'output-text' : 'plain-text'}>{part.join('\n')}</div>
      {from === 'beginning' && more}
    </>
  );
}

export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
