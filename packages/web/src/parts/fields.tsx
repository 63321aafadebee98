/*
 * The fields of forms: each with its name above it, and what it means below it.
 */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface TextFieldProps {
  readonly name: string;
  readonly says: string;
  readonly hint?: ComponentChildren;
  readonly value?: string | undefined;
  readonly isNeeded?: boolean;
  readonly type?: 'text' | 'number' | 'search';
  readonly rows?: number;
  readonly placeholder?: string;
  readonly pattern?: string;
  /* What the browser says of a text that is not like the pattern. */
  readonly title?: string;
  readonly min?: number;
  readonly max?: number;
  readonly charactersMax?: number;
}

/* For names and commands: what a keyboard would change by itself is switched off. */
const plain = { autocomplete: 'off', autocapitalize: 'off', spellcheck: false } as const;

export function TextField(props: TextFieldProps) {
  const { name, says, hint, value, isNeeded, type = 'text', rows, charactersMax, ...rest } = props;
  const hintId = useId();
  const common = {
    ...describedBy(hint, hintId),
    name,
    ...plain,
    required: isNeeded === true,
    ...(charactersMax === undefined ? {} : { maxLength: charactersMax }),
    ...rest,
  };
  return (
    <div class="hinted">
      <label class="field">
        <span>{says}</span>
        {rows === undefined ? (
          <input type={type} autocorrect="off" defaultValue={value ?? ''} {...common} />
        ) : (
          <textarea rows={rows} autocorrect="off" defaultValue={value ?? ''} {...common} />
        )}
      </label>
      <Hint id={hintId}>{hint}</Hint>
    </div>
  );
}

export interface ChoiceFieldProps {
  readonly name: string;
  readonly says: string;
  readonly options: readonly (readonly [value: string, shown: string])[];
  readonly value?: string | undefined;
  readonly onPick?: (value: string) => void;
}

export function ChoiceField({ name, says, options, value, onPick }: ChoiceFieldProps) {
  return (
    <label class="field">
      <span>{says}</span>
      <select name={name} onChange={({ currentTarget }) => onPick?.(currentTarget.value)}>
        {options.map(([each, shown]) => (
          <option key={each} value={each} selected={each === value}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

export interface SwitchFieldProps {
  readonly name: string;
  readonly says: string;
  readonly hint?: ComponentChildren;
  readonly isOn?: boolean;
  readonly isDisabled?: boolean;
  readonly onTurn?: (isOn: boolean) => void;
}

export function SwitchField({ name, says, hint, isOn, isDisabled, onTurn }: SwitchFieldProps) {
  const hintId = useId();
  return (
    <div class="hinted">
      <label class="switch">
        <input
          type="checkbox"
          name={name}
          disabled={isDisabled === true}
          {...describedBy(hint, hintId)}
          {...(onTurn === undefined
            ? { defaultChecked: isOn === true }
            : {
                checked: isOn === true,
                onChange: ({ currentTarget }) => onTurn(currentTarget.checked),
              })}
        />
        <span>{says}</span>
      </label>
      <Hint id={hintId}>{hint}</Hint>
    </div>
  );
}

/* Beside the label, so that it is not a part of the name. */
function Hint({ id, children }: { readonly id: string; readonly children: ComponentChildren }) {
  return children === undefined ? null : <small id={id}>{children}</small>;
}

function describedBy(hint: ComponentChildren, id: string): { 'aria-describedby'?: string } {
  return hint === undefined ? {} : { 'aria-describedby': id };
}

/* What was typed; undefined: nothing. */
export function typedIn(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}
