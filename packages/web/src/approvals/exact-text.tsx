/*
 * Text that is decided about, whole: wrapped, never cut, with its hidden characters as codes.
 */
import type { RefObject } from 'preact';

export interface ExactTextProps {
  readonly text: string;
  readonly start?: RefObject<HTMLElement> | undefined;
  readonly end?: RefObject<HTMLElement> | undefined;
}

/* A line breaks behind a hyphen, and `-rf` or `--force` would read as two words. Two at most: a long row of them has to wrap. */
const joined = /(-{1,2}[!-~](?!\p{M}))/u;

export function ExactText({ text, start, end }: ExactTextProps) {
  // Direction marks are shown as codes; letters that are written from the right must not turn the rest around either.
  return (
    <pre class="exact" dir="ltr">
      {start !== undefined && <span ref={start} />}
      <bdi dir="ltr">
        {text.split(joined).map((piece, index) =>
          index % 2 === 0 ? (
            piece
          ) : (
            <span key={index} class="joined">
              {piece}
            </span>
          ),
        )}
      </bdi>
      {end !== undefined && <span ref={end} />}
    </pre>
  );
}
