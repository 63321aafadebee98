/*
 * What was typed and not sent, kept on the device at every pause, and at once when the page is left.
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Timer } from '@clawdfather/kit';
import { useApp } from '../../app-context.ts';
import type { DeviceStorage, Writer } from '../../storage/device-storage.ts';

const pauseMs = 300;

export interface Draft {
  readonly text: string;
  readonly setText: (text: string) => void;
  /* Behind what is there, on a line of its own. */
  readonly add: (text: string) => Promise<void>;
  /* It is being sent: nothing is shown, and the device has it until it is kept elsewhere (`sent`). */
  readonly send: () => void;
  /* What the device has is what is shown from now on. */
  readonly sent: () => Promise<void>;
}

interface Typed {
  text: string;
  timer: Timer | undefined;
  isTyped: boolean;
  /* Of whoever is signed in when the draft is shown. */
  readonly writer: Pick<Writer, 'draft'>;
}

function nothingTyped(storage: Pick<DeviceStorage, 'writer'>): Typed {
  return { text: '', timer: undefined, isTyped: false, writer: storage.writer() };
}

/* `key`: whose draft it is; with another one, another draft. */
export function useDraft(key: string): Draft {
  const { clock, storage } = useApp();
  const [text, setText] = useState('');
  const now = useRef<Typed>(nothingTyped(storage));
  /* Until what the device has is shown. */
  const reading = useRef<Promise<void>>(Promise.resolve());
  const stopWaiting = (): void => {
    now.current.timer?.cancel();
    now.current.timer = undefined;
  };
  const write = (): Promise<void> => {
    stopWaiting();
    return now.current.writer.draft(key, now.current.text);
  };
  const keep = (): void => {
    if (now.current.timer !== undefined) void write();
  };
  const show = (next: string): void => {
    now.current.text = next;
    now.current.isTyped = true;
    setText(next);
    stopWaiting();
  };
  const take = (next: string): void => {
    show(next);
    now.current.timer = clock.timer(pauseMs, keep);
  };
  // Before the first paint: nothing can have been typed yet, so nothing typed is wiped.
  useLayoutEffect(() => {
    now.current = nothingTyped(storage);
    setText('');
    const own = now.current;
    reading.current = storage.drafts.read(key).then((kept) => {
      // Another draft is shown by now. Who types while it is looked for means what they type.
      if (kept === undefined || own !== now.current || own.isTyped) return;
      own.text = kept;
      setText(kept);
    });
    const onHide = (): void => keep();
    document.addEventListener('visibilitychange', onHide);
    return () => {
      document.removeEventListener('visibilitychange', onHide);
      keep();
    };
  }, [key, storage]);
  const add = async (more: string): Promise<void> => {
    await reading.current;
    take([now.current.text, more].filter(Boolean).join('\n'));
  };
  return { text, setText: take, add, send: () => show(''), sent: write };
}
