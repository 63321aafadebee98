/*
 * The output of a run as text that fits the screen. It stays at its end while the reader is there; a reader who scrolls away or puts a finger
 * on it is let alone, and a pill leads back.
 */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { linesWith } from './search-lines.ts';
import { type OutputBlock, windowCharactersMax, charactersOf } from './output-window.ts';
import type { RunOutput } from './run-output.ts';

/* Nearer to the end than this is at the end. */
const atEndPx = 32;

export function Reader({
  output,
  search,
  whenEmpty,
}: {
  readonly output: RunOutput;
  readonly search: string;
  /* What is said while there is nothing to read. */
  readonly whenEmpty: string;
}) {
  const known = output.window.value;
  const { scroller, isAway, look, touch, toEnd } = useEnd(output);
  if (known === undefined) return null;
  const isEmpty = known.blocks.every(({ text, note }) => text === '' && note === undefined);
  return (
    <div class="followed">
      <div
        class="scroller reader"
        ref={scroller}
        onScroll={look}
        onTouchStart={() => touch(true)}
        onTouchEnd={() => touch(false)}
        onTouchCancel={() => touch(false)}
        role="log"
        aria-label="Output"
        tabIndex={0}
      >
        {known.hasOlder && charactersOf(known) <= windowCharactersMax && (
          <button
            type="button"
            class="button plain wide"
            onClick={() => void keepPlace(scroller, () => output.loadOlder())}
          >
            Show older
          </button>
        )}
        {known.hasOlder && charactersOf(known) > windowCharactersMax && (
          <p class="quiet">Download the output to read what is older.</p>
        )}
        {isEmpty && <p class="quiet">{whenEmpty}</p>}
        {search === '' ? (
          known.blocks.map((block) => <Block key={block.id} block={block} />)
        ) : (
          <Matches blocks={known.blocks} search={search} />
        )}
      </div>
      {isAway && (
        <button type="button" class="button pill" onClick={toEnd}>
          ↓ To the end
        </button>
      )}
    </div>
  );
}

function Block({ block: { text, note } }: { readonly block: OutputBlock }) {
  // By its element and its look: a command can say the same words, and nothing else.
  if (note !== undefined) {
    return (
      <p class="output-note" role="note">
        {note}
      </p>
    );
  }
  return text === '' ? null : <pre class="output-block">{text}</pre>;
}

function Matches({ blocks, search }: { blocks: readonly OutputBlock[]; search: string }) {
  const { lines, count } = linesWith(blocks, search);
  return (
    <>
      <p class="quiet" role="status">
        {count === 0 ? 'No line' : count === 1 ? '1 line' : `${count} lines`} of what is loaded
        {count > lines.length && `, the last ${lines.length}`}
      </p>
      {lines.map(({ at, before, match, after }) => (
        <pre key={at} class="output-block">
          {before}
          <mark>{match}</mark>
          {after}
        </pre>
      ))}
    </>
  );
}

interface End {
  readonly scroller: RefObject<HTMLDivElement>;
  readonly isAway: boolean;
  readonly look: () => void;
  readonly touch: (isTouched: boolean) => void;
  readonly toEnd: () => void;
}

function useEnd(output: RunOutput): End {
  const scroller = useRef<HTMLDivElement>(null);
  const state = useRef({ follows: true, isTouched: false });
  const [isAway, setIsAway] = useState(false);
  const follow = (follows: boolean): void => {
    state.current.follows = follows;
    output.keepOld(!follows);
    setIsAway(!follows);
  };
  const toEnd = (): void => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
    follow(true);
  };
  useLayoutEffect(() => {
    const { follows, isTouched } = state.current;
    const element = scroller.current;
    if (follows && !isTouched && element !== null) element.scrollTop = element.scrollHeight;
  });
  const look = (): void => {
    const element = scroller.current;
    if (element === null || state.current.isTouched) return;
    const belowPx = element.scrollHeight - element.clientHeight - element.scrollTop;
    const isAtEnd = belowPx < atEndPx;
    if (isAtEnd !== state.current.follows) follow(isAtEnd);
  };
  return {
    scroller,
    isAway,
    look,
    touch: (isTouched) => {
      state.current.isTouched = isTouched;
      look();
    },
    toEnd,
  };
}

/* What is added above does not move what is read. */
async function keepPlace(
  scroller: RefObject<HTMLDivElement>,
  work: () => Promise<void>,
): Promise<void> {
  const element = scroller.current;
  const fromEndPx = element === null ? 0 : element.scrollHeight - element.scrollTop;
  await work();
  requestAnimationFrame(() => {
    if (element !== null) element.scrollTop = element.scrollHeight - fromEndPx;
  });
}
