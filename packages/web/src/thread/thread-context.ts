/*
 * What the rows of one thread share: which of them are open and how much of them is shown, so that a row that leaves the screen comes
 * back as it was.
 */
import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { HeldKind } from '../data/limits.ts';

/* What lies over the thread. */
export type Layer =
  /* All of an event of which a row has only a part. */
  | { readonly kind: 'whole'; readonly seq: number }
  /* What can be done with a block. */
  | { readonly kind: 'menu'; readonly key: string }
  /* What holds the places where a limit is reached. */
  | { readonly kind: 'held'; readonly held: HeldKind };

export interface ThreadParts {
  readonly threadId: string;
  readonly opened: Set<string>;
  /* In pieces, by key. */
  readonly shown: Map<string, number>;
  readonly show: (layer: Layer) => void;
  /* What a turn began with; undefined: it is not here, or not whole. */
  readonly saidIn: (turnId: string) => string | undefined;
  /* Into the composer, behind what is there. */
  readonly writeAgain: (text: string) => void;
}

export const ThreadContext = createContext<ThreadParts>({
  threadId: '',
  opened: new Set(),
  shown: new Map(),
  show: () => undefined,
  saidIn: () => undefined,
  writeAgain: () => undefined,
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
