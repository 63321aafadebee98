/*
 * Keeps a scroller at its end while its reader is there.
 *
 * A reader who scrolls away, or puts a finger on it, is let alone at once: nothing is scrolled under a finger, and what is added at
 * the end is only counted. Coming back to the end takes it up again.
 */
import { type RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Following {
  readonly scroller: RefObject<HTMLDivElement>;
  /* How many events were added below since the reader left the end. */
  readonly missed: number;
  /* It is so near to its beginning that what is older should come. */
  readonly isNearTop: () => boolean;
  readonly look: () => void;
  readonly touch: (isTouched: boolean) => void;
  readonly goToEnd: () => void;
}

/* Nearer to the end than this is at the end. */
const atEndPx = 24;

/* `newest` grows with what is added at the end. */
export function useFollowing(newest: number): Following {
  const scroller = useRef<HTMLDivElement>(null);
  const state = useRef({ follows: true, isTouched: false, seen: newest });
  const [missed, setMissed] = useState(0);
  const toEnd = (): void => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
    state.current.seen = newest;
    setMissed(0);
  };
  useLayoutEffect(() => {
    const { follows, isTouched, seen } = state.current;
    if (isTouched) return;
    if (follows) toEnd();
    else setMissed(Math.max(0, newest - seen));
  });
  const look = (): void => {
    const element = scroller.current;
    if (element === null || state.current.isTouched) return;
    const belowPx = element.scrollHeight - element.clientHeight - element.scrollTop;
    state.current.follows = belowPx < atEndPx;
    if (state.current.follows) state.current.seen = newest;
  };
  return {
    scroller,
    missed,
    isNearTop: () => {
      const element = scroller.current;
      return element !== null && element.scrollTop < element.clientHeight;
    },
    look,
    touch: (isTouched) => {
      state.current.isTouched = isTouched;
      look();
    },
    goToEnd: () => {
      state.current.follows = true;
      toEnd();
    },
  };
}
