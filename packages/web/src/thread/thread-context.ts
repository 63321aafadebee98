/*
 * What the rows of one thread share: which of them are open and how much of them is shown, so that a row that leaves the screen comes
 * back as it was.
 */
import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { HeldKind } from '../data/limits.ts';

export interface ThreadParts {
  readonly threadId: string;
  readonly opened: Set<string>;
  /* In pieces, by key. */
  readonly shown: Map<string, number>;
  /* Shows all of an event of which a row has only a part. */
  readonly showWhole: (seq: number) => void;
  /* What a turn began with; undefined: it is not here, or not whole. */
  readonly saidIn: (turnId: string) => string | undefined;
  /* Into the composer, behind what is there. */
  readonly writeAgain: (text: string) => void;
  /* A limit is reached. */
  readonly showHeld: (kind: HeldKind) => void;
}

export const ThreadContext = createContext<ThreadParts>({
  threadId: '',
  opened: new Set(),
  shown: new Map(),
  showWhole: () => undefined,
  saidIn: () => undefined,
  writeAgain: () => undefined,
  showHeld: () => undefined,
});

export function useOpened(key: string): readonly [isOpen: boolean, toggle: () => void] {
  const { opened } = useContext(ThreadContext);
  const [isOpen, setIsOpen] = useState(opened.has(key));
  const toggle = (): void => {
    if (isOpen) opened.delete(key);
    else opened.add(key);
    setIsOpen(!isOpen);
  };
  return [isOpen, toggle];
}
