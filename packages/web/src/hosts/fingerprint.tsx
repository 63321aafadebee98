/*
 * A fingerprint, in groups of four and as the picture that ssh-keygen draws of it, so that two of them can be compared by eye.
 */
import { groupFingerprint } from './host-words.ts';
import { drawFingerprint } from './randomart.ts';

export function Fingerprint({ text }: { readonly text: string }) {
  const picture = drawFingerprint(text);
  return (
    <span class="key-picture">
      <code class="fingerprint" aria-label={text}>
        {groupFingerprint(text)}
      </code>
      {picture !== undefined && (
        <code class="randomart" aria-hidden="true">
          {picture}
        </code>
      )}
    </span>
  );
}
