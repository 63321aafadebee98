/*
 * All of an event of which a row shows a part: its JSON, a piece at a time, over the whole screen.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { usePieces } from '../data/use-pieces.ts';
import { Icon } from '../parts/icon.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { formatOutput } from '../text/reader-text.ts';
import { cutText } from '../text/split-markdown.ts';
import { formatSize } from './rows/long-text.tsx';

/* Of what is on the screen at once; the rest is a tap away. */
const pieceCharacters = 20_000;

export function WholeEvent({
  threadId,
  seq,
  onClose,
}: {
  readonly threadId: string;
  readonly seq: number;
  readonly onClose: () => void;
}) {
  const { client } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const loaded = usePieces(`${threadId}/${seq}`, (offset) =>
    client.history.event({ params: { id: threadId, seq }, query: { offset } }),
  );
  const problem = loaded.problem.value;
  const [shown, setShown] = useState(1);
  useEffect(() => dialog.current?.showModal(), []);
  const text = loaded.pieces.value.map(({ json }) => json).join('');
  const last = loaded.pieces.value.at(-1);
  const pieces = cutText(text, pieceCharacters);
  const more = (): void => {
    // Not beyond what is here: a part that comes late is shown from its beginning.
    setShown(Math.min(shown, pieces.length) + 1);
    if (shown + 1 >= pieces.length) void loaded.more();
  };
  const isAll = shown >= pieces.length && last?.next_offset === null;
  return (
    <dialog class="tall-sheet" ref={dialog} onClose={onClose} aria-label={`Event ${seq}`}>
      <header class="head">
        <h2>
          Event {seq} · {formatSize(last?.characters ?? 0)}
        </h2>
        <button
          type="button"
          class="icon-button"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </header>
      <div class="scroller">
        {pieces.slice(0, shown).map((piece, index) => (
          <div key={index} class="output-text">
            {formatOutput(piece)}
          </div>
        ))}
        {problem !== undefined && (
          <ProblemView problem={problem} onRetry={() => void loaded.more()} />
        )}
        {!isAll && problem === undefined && (
          <button type="button" class="button wide" onClick={more}>
            Show more
          </button>
        )}
      </div>
    </dialog>
  );
}
