/*
 * What can be done with a message or a call of a tool: taken elsewhere as text or as it came, or quoted in the next message.
 */
import type { Block } from '@clawdfather/protocol/history';
import { useState } from 'preact/hooks';
import { Sheet } from '../../parts/sheet.tsx';
import { isPartOfIt, quoteOf, textOfBlock } from './block-text.ts';
import { toolWords } from './tool-words.ts';

export interface BlockMenuProps {
  /* As it is now: it may still be written. */
  readonly block: Block;
  /* Undefined: nothing more is said here. */
  readonly onQuote: ((quote: string) => void) | undefined;
  readonly onClose: () => void;
}

/* What is longer is no quotation: nobody reads it over before it is sent. */
const quotedCharactersMax = 20_000;

export function BlockMenu({ block, onQuote, onClose }: BlockMenuProps) {
  const [copied, setCopied] = useState<'text' | 'raw' | 'refused' | undefined>(undefined);
  const copy = (what: 'text' | 'raw', text: string): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(what),
      () => setCopied('refused'),
    );
  };
  const text = textOfBlock(block);
  const isQuotable = onQuote !== undefined && text.length <= quotedCharactersMax;
  return (
    <Sheet title={titleOf(block)} onClose={onClose}>
      {text !== '' && (
        <>
          <Way says="Copy" onTake={() => copy('text', text)} />
          {isQuotable && (
            <Way
              says="Quote"
              onTake={(dialog) => {
                // It gives the focus back at once; only then another place can have it, and only within the tap does a keyboard open.
                dialog?.close();
                onQuote(quoteOf(text));
                onClose();
              }}
            />
          )}
          {typeof navigator.share === 'function' && (
            <Way
              says="Share…"
              onTake={() => {
                // They have changed their mind.
                navigator.share({ text }).catch(() => undefined);
              }}
            />
          )}
        </>
      )}
      <Way
        says="Copy as it came (JSON)"
        onTake={() => copy('raw', JSON.stringify(block, undefined, 2))}
      />
      <p class="quiet" role="status">
        {copied !== undefined && notes[copied]}
      </p>
      {isPartOfIt(block) && <p class="quiet">Only a part of it is here. That part is taken.</p>}
      {onQuote !== undefined && !isQuotable && <p class="quiet">It is too long for a quotation.</p>}
    </Sheet>
  );
}

const notes = {
  text: 'Copied.',
  raw: 'Copied as it came.',
  refused: 'The browser lets nothing be copied here. Text can be selected by hand.',
} as const;

function Way({
  says,
  onTake,
}: {
  readonly says: string;
  readonly onTake: (dialog: HTMLDialogElement | null) => void;
}) {
  return (
    <button
      type="button"
      class="button wide"
      onClick={({ currentTarget }) => onTake(currentTarget.closest('dialog'))}
    >
      {says}
    </button>
  );
}

function titleOf(block: Block): string {
  if (block.kind === 'user') return 'What you said';
  if (block.kind !== 'tool') return 'What the agent said';
  const { verb, object } = toolWords(block.call);
  return `${verb} ${object}`;
}
