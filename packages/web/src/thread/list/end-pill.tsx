/*
 * The pill that leads back to the end. It stands at the bottom, at the top where something of a card that asks can be tapped there, and nowhere
 * where that is so at both: a tap on a card never meets it. (In the moment before it makes room, the card lies over it: conversation.css.)
 */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface EndPillProps {
  readonly scroller: RefObject<HTMLElement>;
  /* Where decisions are. */
  readonly tail: RefObject<HTMLElement>;
  readonly missed: number;
  readonly onTap: () => void;
}

/* What it leaves free between itself and what can be tapped, and the edge that it stands at. */
const aroundPx = 16;
/* The whole foot of a decision: its buttons, and what takes their place while it is held. */
const tappable =
  '.decision-foot, .decision :is(a, button, label, input, textarea, select, summary)';

type Place = 'low' | 'high' | 'away';

export function EndPill({ scroller, tail, missed, onTap }: EndPillProps) {
  const pill = useRef<HTMLButtonElement>(null);
  const [place, setPlace] = useState<Place>('low');
  useLayoutEffect(() => {
    const [list, asks] = [scroller.current, tail.current];
    if (list === null || asks === null) return;
    const look = (): void => setPlace(freePlace(list, asks, pill.current?.offsetHeight ?? 0));
    const sizes = new ResizeObserver(look);
    for (const part of [list, ...list.children]) sizes.observe(part);
    // What is replaced by something of the same size.
    const parts = new MutationObserver(look);
    parts.observe(asks, { childList: true, subtree: true });
    list.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      sizes.disconnect();
      parts.disconnect();
      list.removeEventListener('scroll', look);
    };
  }, [scroller, tail]);
  return (
    <button type="button" class={`button pill ${place}`} ref={pill} onClick={onTap}>
      ↓ {missed > 0 ? `${missed} new` : 'To the end'}
    </button>
  );
}

function freePlace(list: HTMLElement, asks: HTMLElement, heightPx: number): Place {
  const zonePx = heightPx + 2 * aroundPx;
  const { top: begin, bottom: end } = list.getBoundingClientRect();
  const taken = [...asks.querySelectorAll(tappable)].map((part) => part.getBoundingClientRect());
  const isFree = (from: number, to: number): boolean =>
    taken.every(({ top, bottom }) => bottom <= from || top >= to);
  if (isFree(end - zonePx, end)) return 'low';
  return isFree(begin, begin + zonePx) ? 'high' : 'away';
}
