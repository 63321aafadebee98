/*
 * Where a message is written: files to attach, send when something is typed, the microphone when nothing is, and stop beside them while a
 * turn runs.
 */
import type { ComponentChildren, RefObject } from 'preact';
import { useImperativeHandle, useRef } from 'preact/hooks';
import { useApp } from '../../app-context.ts';
import type { SayInput } from '../../outbox/outbox.ts';
import { Icon } from '../../parts/icon.tsx';
import { AttachButton, AttachedFiles } from '../attach/attach-button.tsx';
import { useAttachments } from '../attach/use-attachments.ts';
import { DictateButton } from './dictate-button.tsx';
import { doesKeySend, doesLineBreakSend } from './enter-rule.ts';
import { useDictation } from './use-dictation.ts';
import { type Draft, useDraft } from './use-draft.ts';
import { useOneAtATime } from './use-one-at-a-time.ts';

export interface ComposerProps {
  readonly draftKey: string;
  /* Through which others reach what is written. */
  readonly hand: RefObject<ComposerHand>;
  readonly isBusy: boolean;
  /* Of a thread in which nothing more can be said: why, and the way out. */
  readonly closed?: ComponentChildren;
  /* Why files cannot go along. */
  readonly noFiles?: string | undefined;
  /* False: it was not taken, and stays. */
  readonly onSay: (said: Said) => Promise<boolean>;
  readonly onStop: () => Promise<unknown>;
}

export interface ComposerHand {
  readonly add: Draft['add'];
  readonly focus: () => void;
}

export type Said = Pick<SayInput, 'text' | 'attachments' | 'whenKept'>;

export function Composer(props: ComposerProps) {
  const { draftKey, hand, isBusy, closed, noFiles, onSay, onStop } = props;
  const draft = useDraft(draftKey);
  const { text, setText } = draft;
  const dictation = useDictation(text, setText);
  const area = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(hand, () => ({ add: draft.add, focus: () => area.current?.focus() }));
  const attached = useAttachments(draftKey, noFiles);
  const isEmpty = text.trim() === '';
  const canSend = !isEmpty && attached.isReady;
  const send = useOneAtATime(async () => {
    if (!canSend) return;
    dictation.end();
    // Emptied at once: what is typed while it is kept belongs to the next message.
    draft.send();
    const said = { text, attachments: attached.ids, whenKept: draft.sent };
    if (await onSay(said)) attached.clear();
    else setText([text, area.current?.value ?? ''].filter(Boolean).join('\n'));
    area.current?.focus();
  });
  const keys = useEnterKey(send);
  if (closed !== undefined) return <div class="composer closed">{closed}</div>;
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <AttachedFiles attached={attached} />
      <AttachButton attached={attached} />
      <textarea
        ref={area}
        value={text}
        rows={1}
        placeholder={isBusy ? 'Say more' : 'Say something'}
        aria-label="Message"
        enterkeyhint={keys.hint}
        onInput={({ currentTarget }) => {
          dictation.end();
          setText(currentTarget.value);
        }}
        onKeyDown={keys.onKeyDown}
        onBeforeInput={keys.onBeforeInput}
        onPaste={attached.onPaste}
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
      {(isEmpty || dictation.isOn) && <DictateButton dictation={dictation} />}
      {!(isEmpty && dictation.isOffered) && (
        <button type="submit" class="icon-button send" aria-label="Send" disabled={!canSend}>
          <Icon name="send" />
        </button>
      )}
    </form>
  );
}

function useEnterKey(send: () => void) {
  const { preferences } = useApp();
  const lastKeyCode = useRef(0);
  const enterSends = preferences.enterSends.value;
  const ways = { enterSends, isTouch: matchMedia('(pointer: coarse)').matches };
  return {
    hint: enterSends === 'always' ? 'send' : undefined,
    onKeyDown: (event: KeyboardEvent): void => {
      lastKeyCode.current = event.keyCode;
      if (!doesKeySend(event, ways)) return;
      event.preventDefault();
      send();
    },
    onBeforeInput: (event: InputEvent): void => {
      if (!doesLineBreakSend(event, lastKeyCode.current, ways)) return;
      event.preventDefault();
      send();
    },
  } as const;
}
