/*
 * The microphone beside a text: turns listening on and off, and says which of the two it is.
 */
import { Icon } from '../../parts/icon.tsx';
import type { DictationButton } from './use-dictation.ts';

export function DictateButton({ dictation }: { readonly dictation: DictationButton }) {
  const { isOffered, isOn, toggle } = dictation;
  if (!isOffered) return null;
  return (
    <button
      type="button"
      class={isOn ? 'icon-button listening' : 'icon-button'}
      aria-label={isOn ? 'Stop listening' : 'Dictate'}
      aria-pressed={isOn}
      onClick={toggle}
    >
      <Icon name="microphone" />
    </button>
  );
}
