/*
 * Some lines of a block of code, with the button that copies all of it. Colours come later, from a worker, without a new node.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { colourCode } from '../../text/colours/colour-code.ts';
import { formatForReader } from '../../text/reader-text.ts';
import type { CodePiece } from '../../text/split-markdown.ts';

export function CodeView({ piece }: { readonly piece: CodePiece }) {
  const { language, isFirst, isLast, code, isClosed } = piece;
  const text = formatForReader(piece.text);
  const shown = useRef<HTMLElement>(null);
  useEffect(() => {
    const node = shown.current?.firstChild;
    // While it is written, each letter would ask for new colours.
    if (!isClosed || !(node instanceof Text)) return;
    return colourCode({ node, text, language });
  }, [text, language, isClosed]);
  const edges = `${isFirst ? ' first' : ''}${isLast ? ' last' : ''}`;
  return (
    <figure class={`code${edges}`}>
      {isFirst && (
        <figcaption>
          <span>{language}</span>
          <CopyButton text={code} />
        </figcaption>
      )}
      <pre tabIndex={0}>
        <code ref={shown}>{text}</code>
      </pre>
    </figure>
  );
}

export function CopyButton({ text }: { readonly text: string }) {
  const [isDone, setIsDone] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setIsDone(true);
  };
  return (
    <button
      type="button"
      class="copy"
      // Where a page may not write there, nothing happens, and the text can still be selected.
      onClick={() => void copy().catch(() => undefined)}
      onBlur={() => setIsDone(false)}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
      <span>{isDone ? 'Copied' : 'Copy'}</span>
    </button>
  );
}
