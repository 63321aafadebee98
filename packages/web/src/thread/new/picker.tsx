/*
 * A choice, made on a sheet over the whole screen: large rows, with a field of its own where something else may be typed.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';

export interface PickerOption {
  readonly value: string;
  readonly shown: string;
  readonly facts?: string | undefined;
  readonly before?: ComponentChildren;
}

export interface PickerProps {
  readonly name: string;
  readonly value: string;
  readonly shown: string;
  readonly options: readonly PickerOption[];
  /* Something that is not among them may be typed. */
  readonly typed?: string;
  /* With what is typed, if the options depend on it. Also when the sheet opens. */
  readonly onType?: (text: string) => void;
  readonly onPick: (value: string) => void;
}

export function Picker({ name, value, shown, options, typed, onType, onPick }: PickerProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div class="picker">
      <button type="button" class="picked" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        <span class="quiet">{name}</span>
        <span class="what">{shown}</span>
        <Icon name="forward" />
      </button>
      {isOpen && (
        <PickerSheet
          name={name}
          value={value}
          options={options}
          typed={typed}
          onType={onType}
          onPick={onPick}
          onClose={() => setIsOpen(false)}
        />
      )}
    </div>
  );
}

interface SheetProps extends Omit<PickerProps, 'shown' | 'typed' | 'onType'> {
  readonly typed: string | undefined;
  readonly onType: ((text: string) => void) | undefined;
  readonly onClose: () => void;
}

function PickerSheet({ name, value, options, typed, onType, onPick, onClose }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => onType?.(text), [text]);
  const pick = (chosen: string): void => {
    onPick(chosen);
    dialog.current?.close();
  };
  const words = text.toLowerCase();
  // What is asked for with the text fits it already, under whichever name.
  const isAsked = onType !== undefined && /^[/~]/.test(words);
  const found = isAsked
    ? options.filter(({ value: of }) => of !== '')
    : options.filter(({ shown }) => shown.toLowerCase().includes(words));
  return (
    <dialog class="tall-sheet" ref={dialog} onClose={onClose} aria-label={name}>
      <header class="head">
        <h2>{name}</h2>
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
        {typed !== undefined && (
          <label class="field">
            <span>{typed}</span>
            <input
              value={text}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
        )}
        <ul class="rows picks">
          {typed !== undefined && text.trim() !== '' && (
            <PickRow
              option={{ value: text.trim(), shown: `Use “${text.trim()}”` }}
              isPicked={false}
              onPick={pick}
            />
          )}
          {found.map((option) => (
            <PickRow
              key={option.value}
              option={option}
              isPicked={option.value === value}
              onPick={pick}
            />
          ))}
        </ul>
      </div>
    </dialog>
  );
}

function PickRow({
  option: { value, shown, facts, before },
  isPicked,
  onPick,
}: {
  readonly option: PickerOption;
  readonly isPicked: boolean;
  readonly onPick: (value: string) => void;
}) {
  return (
    <li>
      <button type="button" class="row" aria-pressed={isPicked} onClick={() => onPick(value)}>
        {before ?? <span />}
        <span>
          <span class="what">{shown}</span>
          {facts !== undefined && <span class="facts">{facts}</span>}
        </span>
        {isPicked ? <Icon name="check" /> : <span />}
      </button>
    </li>
  );
}
