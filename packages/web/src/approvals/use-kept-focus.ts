/*
 * Keeps the focus in a card from which it would be lost: what had it is taken away when a decision is made, taken back or over. It goes to
 * Undo, back to the button that was pressed, or to what is said in place of them.
 */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface FocusPlaces {
  readonly card: RefObject<HTMLElement>;
  readonly bar: RefObject<HTMLElement>;
  /* In place of the bar, while a decision is on its way. */
  readonly held: RefObject<HTMLElement>;
}

export function useKeptFocus({ card, bar, held }: FocusPlaces): void {
  const pressedAt = useRef(0);
  // Looked at before it is drawn anew: afterwards what had the focus may be gone.
  const before = document.activeElement;
  const wasInCard = card.current?.contains(before) === true;
  const wasInHeld = held.current?.contains(before) === true;
  const at = [...(bar.current?.children ?? [])].findIndex((way) => way === before);
  if (at >= 0) pressedAt.current = at;
  useLayoutEffect(() => {
    if (!wasInCard || document.activeElement !== document.body) return;
    const pressed = at >= 0 || wasInHeld ? bar.current?.children[pressedAt.current] : undefined;
    const next = held.current?.querySelector('button') ?? pressed ?? held.current ?? card.current;
    if (!(next instanceof HTMLElement)) return;
    // What is no button can have it as long as a person is there.
    if (next.tabIndex < 0) next.tabIndex = -1;
    next.focus({ preventScroll: true });
  });
}
