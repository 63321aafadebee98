/*
 * On an iPhone or iPad: the app on the home screen first, because it has cookies of its own, and only there can it notify.
 */
import { useState } from 'preact/hooks';

export function InstallFirst({
  link,
  onHere,
}: {
  /* One that was opened here and is not spent. */
  readonly link: string | undefined;
  readonly onHere: () => void;
}) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (link === undefined) return;
    await navigator.clipboard.writeText(link);
    setIsCopied(true);
  };
  return (
    <div class="obstacle calm">
      <strong>Add to Home Screen first</strong>
      <p>The app on your home screen signs in by itself, and only there it can notify you.</p>
      <ol class="install-steps">
        {link !== undefined && (
          <li>
            Copy your login link.{' '}
            <button type="button" class="button" onClick={() => void copy()}>
              {isCopied ? 'Copied' : 'Copy the link'}
            </button>
          </li>
        )}
        <li>Tap Share, then “Add to Home Screen”.</li>
        <li>
          Open Clawdfather there, and{' '}
          {link === undefined ? 'type a code or paste a link' : 'paste the link'}.
        </li>
      </ol>
      <button type="button" class="button plain" onClick={onHere}>
        Sign in here all the same
      </button>
    </div>
  );
}
