/*
 * What is said, written into the composer. It is edited there, and never sent by itself.
 *
 * Listening ends when the text is sent, edited by hand, or left: what was heard before must not come back into it.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.ts';
import { canDictate, type Dictation, openDictation } from './dictation.ts';

export interface DictationButton {
  readonly isOffered: boolean;
  readonly isOn: boolean;
  readonly toggle: () => void;
  readonly end: () => void;
}

export function useDictation(text: string, setText: (text: string) => void): DictationButton {
  const { clock } = useApp();
  const [isOffered, setIsOffered] = useState(() => canDictate(window));
  const [isOn, setIsOn] = useState(false);
  const open = useRef<Dictation | undefined>(undefined);
  const end = (): void => {
    open.current?.abort();
    open.current = undefined;
  };
  useEffect(() => end, []);
  const toggle = (): void => {
    if (isOn) {
      open.current?.stop();
      return;
    }
    const before = text === '' || text.endsWith(' ') || text.endsWith('\n') ? text : `${text} `;
    setIsOn(true);
    open.current = openDictation(window, {
      clock,
      onText: (said) => setText(before + said),
      onEnd: (how) => {
        setIsOn(false);
        if (how === 'dead') setIsOffered(false);
      },
    });
  };
  return { isOffered, isOn, toggle, end };
}
