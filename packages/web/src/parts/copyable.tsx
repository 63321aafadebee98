/*
 * A text to take elsewhere: copied, shared, or picked by hand where the browser allows neither (it does so only over HTTPS).
 */
import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { Icon } from './icon.tsx';

const saysMs = 2_000;

export function CopyButton({
  text,
  says = 'Copy',
}: {
  readonly text: string;
  readonly says?: string;
}) {
  const { clock } = useApp();
  const [told, setTold] = useState<string | undefined>(undefined);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setTold('Copied');
    } catch {
      /* No permission, or no HTTPS: the text stands beside the button. */
      setTold('Select it by hand');
    }
    clock.timer(saysMs, () => setTold(undefined));
  };
  return (
    <button type="button" class="button small" onClick={() => void copy()}>
      <Icon name={told === 'Copied' ? 'check' : 'copy'} />
      <span aria-live="polite">{told ?? says}</span>
    </button>
  );
}

/* Only where the browser can. */
export function ShareButton({ text, title }: { readonly text: string; readonly title: string }) {
  if (typeof navigator.share !== 'function') return null;
  return (
    <button
      type="button"
      class="button small"
      onClick={() => {
        navigator.share({ title, text }).catch(() => {
          /* They have changed their mind. */
        });
      }}
    >
      Share
    </button>
  );
}

export function Copyable({ text, name }: { readonly text: string; readonly name: string }) {
  return (
    <div class="copyable">
      <code class="command" tabIndex={0} role="textbox" aria-readonly="true" aria-label={name}>
        {text}
      </code>
      <div class="copyable-ways">
        <CopyButton text={text} />
        <ShareButton text={text} title={name} />
      </div>
    </div>
  );
}
