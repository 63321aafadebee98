/*
 * Looks at a decision in every frame, and again at the moment of a tap: whether its buttons can all be seen and reached, whether
 * they have moved, and whether the beginning and the end of what is decided are on the screen.
 *
 * What is asked is what a finger would hit (elementFromPoint), so a strip, a sheet or the edge of a scroller over the buttons counts
 * as well. Browsers that report layout shifts would do it for us; Safari does not.
 */
import { type RefObject } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Clock } from '@clawdfather/kit';
import { type Arming, isRead, type Leaning, nextArming, takesTap, unseen } from './next-arming.ts';

export interface ArmingPlaces {
  /* All of the decision: what is decided, and the buttons. */
  readonly card: RefObject<HTMLElement>;
  readonly bar: RefObject<HTMLElement>;
  readonly start: RefObject<HTMLElement>;
  readonly end: RefObject<HTMLElement>;
}

export interface ArmedButtons {
  readonly isArmed: boolean;
  readonly isRead: boolean;
  /* All of the buttons can be seen and reached. */
  readonly isInView: boolean;
  /* Whether a tap that ends now decides. */
  takes(event: MouseEvent, leaning: Leaning): boolean;
}

/* `about` is what is decided, `layer` which buttons are shown. */
export function useArming(
  clock: Pick<Clock, 'monotonicMs'>,
  places: ArmingPlaces,
  { about, layer }: { readonly about: string; readonly layer: string },
): ArmedButtons {
  const [shown, setShown] = useState({ isArmed: false, isRead: false, isInView: true });
  const watch = useMemo(() => createWatch(clock, places), [about]);
  const presses = useMemo(() => createPresses(clock, places.bar), [clock]);
  useEffect(() => watch.turn(), [watch, layer]);
  useEffect(() => presses.listen(() => void watch.look()), [presses, watch]);
  useEffect(() => {
    let frame = 0;
    const look = (): void => {
      const state = watch.look();
      const next = {
        isArmed: state.kind === 'armed',
        isRead: isRead(state),
        isInView: state.kind !== 'hidden',
      };
      setShown((known) => (isSame(known, next) ? known : next));
      frame = requestAnimationFrame(look);
    };
    frame = requestAnimationFrame(look);
    const onVisibility = (): void => void watch.look();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [watch]);
  return {
    ...shown,
    takes: (event, leaning) => {
      const state = watch.look();
      const beganMs = presses.beganOf(event);
      return beganMs !== undefined && takesTap(state, beganMs, leaning);
    },
  };
}

type Shown = Omit<ArmedButtons, 'takes'>;

function isSame(known: Shown, next: Shown): boolean {
  return (
    known.isArmed === next.isArmed &&
    known.isRead === next.isRead &&
    known.isInView === next.isInView
  );
}

interface Presses {
  /* When the tap or the key that this click ends came down. Undefined: it came down before anything was listened to. */
  beganOf(click: MouseEvent): number | undefined;
  /* Returns what ends it. */
  listen(onPress: () => void): () => void;
}

/*
 * Wherever a finger comes down: a browser sends the click to what is under it when it is lifted, which may have come in between. The
 * time is the event's own, so a page that was busy does not make it later.
 */
function createPresses(clock: Pick<Clock, 'monotonicMs'>, bar: RefObject<HTMLElement>): Presses {
  let downMs: number | undefined;
  let keyMs: number | undefined;
  const timeOf = (event: Event): number => Math.min(event.timeStamp, clock.monotonicMs());
  return {
    beganOf: (click) => {
      if (click.detail > 0) return downMs;
      // By a key; or by assistive technology, which has neither finger nor key: then only now counts.
      const beganMs = keyMs ?? timeOf(click);
      keyMs = undefined;
      return beganMs;
    },
    listen: (onPress) => {
      const onDown = (event: PointerEvent): void => {
        onPress();
        downMs = timeOf(event);
      };
      const onKey = (event: KeyboardEvent): void => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        onPress();
        if (!event.repeat) keyMs = timeOf(event);
        // A key that is held down was pressed for something else.
        else if (event.target instanceof Node && bar.current?.contains(event.target) === true)
          event.preventDefault();
      };
      const capture = { capture: true };
      document.addEventListener('pointerdown', onDown, capture);
      document.addEventListener('keydown', onKey, capture);
      return () => {
        document.removeEventListener('pointerdown', onDown, capture);
        document.removeEventListener('keydown', onKey, capture);
      };
    },
  };
}

interface Watch {
  look(): Arming;
  turn(): void;
}

function createWatch(clock: Pick<Clock, 'monotonicMs'>, places: ArmingPlaces): Watch {
  let state = unseen;
  let where = '';
  return {
    look: () => {
      const { card, bar, start, end } = places;
      const here = `${placeOf(card.current)} ${placeOf(bar.current)}`;
      const hasMoved = here !== where;
      where = here;
      const isVisible = document.visibilityState === 'visible';
      state = nextArming(state, {
        kind: 'looked',
        atMs: clock.monotonicMs(),
        isInView: isVisible && isReachable(bar.current),
        hasMoved,
        showsStart: isVisible && isOnScreen(start.current),
        showsEnd: isVisible && isOnScreen(end.current),
      });
      return state;
    },
    turn: () => {
      state = nextArming(state, { kind: 'turned' });
    },
  };
}

/* In whole pixels: less than one is no movement. */
function placeOf(element: Element | null): string {
  if (element === null) return '';
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left, top, width, height].map((number) => Math.round(number)).join(',');
}

/* Its corners and its middle would all be hit. */
function isReachable(bar: HTMLElement | null): boolean {
  if (bar === null) return false;
  const { left, top, right, bottom } = bar.getBoundingClientRect();
  const inset = 2;
  const points: readonly (readonly [number, number])[] = [
    [left + inset, top + inset],
    [right - inset, top + inset],
    [left + inset, bottom - inset],
    [right - inset, bottom - inset],
    [(left + right) / 2, (top + bottom) / 2],
  ];
  return points.every(([x, y]) => bar.contains(document.elementFromPoint(x, y)));
}

/*
 * The whole height of the line in which it stands can be seen. A box lies also where its scroller cuts it off, behind whatever else of the
 * card is there: only a hit in the very text that it marks shows that it is drawn.
 */
function isOnScreen(mark: HTMLElement | null): boolean {
  const text = mark?.parentElement ?? null;
  if (mark === null || text === null) return false;
  const { left, top, bottom } = mark.getBoundingClientRect();
  const around = text.getBoundingClientRect();
  // Behind blanks and line breaks at the end of a text its box reaches out of it.
  const x = Math.min(left, around.right - 2) + 1;
  const last = Math.min(bottom, around.bottom) - 1;
  return [Math.min(top + 1, last), (top + last) / 2, last].every((y) =>
    text.contains(document.elementFromPoint(x, y)),
  );
}
