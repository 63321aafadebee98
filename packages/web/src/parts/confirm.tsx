/*
 * Asks before something is ended or taken away. The harmless answer stands at the bottom, where the thumb rests; the other one above it.
 */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAct } from '../data/use-act.ts';
import { ActNote } from './act-note.tsx';
import { Sheet } from './sheet.tsx';

export interface ConfirmProps {
  readonly title: string;
  /* What is said on the button that does it. */
  readonly does: string;
  readonly keeps?: string;
  /* Has to be typed before. */
  readonly typed?: string;
  readonly onDo: () => Promise<unknown>;
  readonly onClose: () => void;
  /* The gateway is not needed for it. */
  readonly isHere?: boolean;
  readonly children?: ComponentChildren;
}

export function Confirm(props: ConfirmProps) {
  const { title, does, keeps, typed, onDo, onClose, children } = props;
  const act = useAct(props.isHere === true ? 'here' : 'gateway');
  const [words, setWords] = useState('');
  const isOpen = typed === undefined || words.trim() === typed;
  return (
    <Sheet title={title} onClose={onClose}>
      {children}
      {typed !== undefined && (
        <label class="field">
          <span>
            Type <code>{typed}</code> to go on
          </span>
          <input
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
          />
        </label>
      )}
      <ActNote act={act} />
      <div class="sheet-answers">
        <button
          type="button"
          class="button danger"
          disabled={!isOpen || act.isOff}
          onClick={() => {
            void act.run(onDo).then((isDone) => {
              if (isDone) onClose();
            });
          }}
        >
          {does}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {keeps ?? 'Keep it'}
        </button>
      </div>
    </Sheet>
  );
}
