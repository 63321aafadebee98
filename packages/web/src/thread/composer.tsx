/*
 * Where a message is written. On a touch screen Enter is a new line; with a keyboard it sends, and Shift+Enter is the new line. While
 * an input method puts a character together, nothing is sent.
 */
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';

export function Composer({
  isBusy,
  onSay,
  onStop,
}: {
  readonly isBusy: boolean;
  /* False: it was not taken, and stays. */
  readonly onSay: (text: string) => Promise<boolean>;
  readonly onStop: () => Promise<unknown>;
}) {
  const [text, setText] = useState('');
  const [isSending, setIsSending] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const send = async (): Promise<void> => {
    if (text.trim() === '' || isSending) return;
    setIsSending(true);
    if (await onSay(text)) setText('');
    setIsSending(false);
    area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isComposing = event.isComposing || event.keyCode === 229;
    const isTouch = matchMedia('(pointer: coarse)').matches;
    if (event.key !== 'Enter' || event.shiftKey || isComposing || isTouch) return;
    event.preventDefault();
    void send();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={area}
        value={text}
        rows={1}
        placeholder={isBusy ? 'Say more; it waits its turn' : 'Say something'}
        aria-label="Message"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {isBusy && (
        <button
          type="button"
          class="icon-button stop"
          aria-label="Stop the agent"
          onClick={() => void onStop()}
        >
          <Icon name="stop" />
        </button>
      )}
      <button
        type="submit"
        class="icon-button send"
        aria-label="Send"
        disabled={text.trim() === '' || isSending}
      >
        <Icon name="send" />
      </button>
    </form>
  );
}
